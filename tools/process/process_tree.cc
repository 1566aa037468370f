#include "tools/process/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>

namespace toolway::tools::process {
namespace {

/// The parent of a process; 0 when it is gone.
pid_t parent_of(const char* pid) {
  std::array<char, 512> text;
  const int file = open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const auto length = read(file, text.data(), text.size() - 1);
  close(file);
  if (length <= 0) return 0;
  text[static_cast<std::size_t>(length)] = 0;
  // `1 (name) S 2 …`, and a name may contain anything.
  const char* name_end = std::strrchr(text.data(), ')');
  if (name_end == nullptr || std::strlen(name_end) < 5) return 0;
  return static_cast<pid_t>(std::strtol(name_end + 4, nullptr, 10));
}

}  // namespace

std::vector<pid_t> descendants(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
  if (!proc) return {};
  while (const auto* entry = readdir(proc.get())) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    if (const auto parent = parent_of(entry->d_name); parent > 0) {
      children.emplace(parent, static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)));
    }
  }
  std::vector<pid_t> found{root};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [first, last] = children.equal_range(found[i]);
    for (auto child = first; child != last; ++child) found.push_back(child->second);
  }
  found.erase(found.begin());
  return found;
}

void terminate_tree(const os::Child& child) {
  const auto found = descendants(child.pid());
  child.signal(SIGTERM);
  for (const pid_t pid : found) kill(pid, SIGTERM);
}

std::optional<os::ChildEnd> kill_tree(os::Child& root, std::chrono::milliseconds patience) {
  // Stopped, the root neither starts more nor waits for any: no number is reused in between.
  root.signal(SIGSTOP);
  std::set<pid_t> killed;
  for (int round = 0; round < 100; ++round) {
    bool found = false;
    for (const pid_t pid : descendants(root.pid())) {
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

}  // namespace toolway::tools::process
