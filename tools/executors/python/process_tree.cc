#include "tools/executors/python/process_tree.h"

#include <dirent.h>
#include <fmt/format.h>
#include <signal.h>

#include <fstream>
#include <set>

namespace toolway::tools {
namespace {

/// The children of all its threads.
std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> found;
  const auto tasks = fmt::format("/proc/{}/task", pid);
  DIR* const directory = opendir(tasks.c_str());
  if (directory == nullptr) return found;
  while (const dirent* entry = readdir(directory)) {
    if (entry->d_name[0] == '.') continue;
    std::ifstream list(fmt::format("{}/{}/children", tasks, entry->d_name));
    for (pid_t child = 0; list >> child;) found.push_back(child);
  }
  closedir(directory);
  return found;
}

}  // namespace

std::optional<ChildEnd> kill_tree(Child& root, std::chrono::milliseconds patience) {
  // Stopped, the root neither starts more nor waits for any: no number is used again meanwhile.
  root.signal(SIGSTOP);
  std::set<pid_t> killed;
  for (int round = 0; round < 100; ++round) {
    std::vector<pid_t> all = children_of(root.pid());
    for (std::size_t i = 0; i < all.size() && all.size() < 100'000; ++i) {
      const auto more = children_of(all[i]);
      all.insert(all.end(), more.begin(), more.end());
    }
    bool found = false;
    for (const pid_t pid : all) {
      if (!killed.insert(pid).second) continue;
      kill(pid, SIGKILL);
      found = true;
    }
    if (!found) break;
  }
  root.signal_group(SIGKILL);
  root.signal(SIGKILL);
  return root.wait(patience);
}

}  // namespace toolway::tools
