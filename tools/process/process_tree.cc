#include "tools/process/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "base/mutex.h"
#include "base/os/file_descriptor.h"

namespace toolway::tools::process {
namespace {

/// What /proc is looked at with when no other descriptor is left: without it, what has left the
/// process group would not be found, and live on. Held from the start of the process.
class Reserve {
 public:
  Reserve() noexcept { fill(); }
  Mutex mutex;
  /// Frees the descriptors, until `fill`.
  void release() REQUIRES(mutex) {
    for (auto& file : files_) file.reset();
  }
  void fill() noexcept {
    for (auto& file : files_) file.reset(open("/dev/null", O_RDONLY | O_CLOEXEC));
  }

 private:
  std::array<os::FileDescriptor, 2> files_;  // the directory, and one process in it
};
Reserve reserve;

constexpr unsigned kMaxLooks = 20;
constexpr std::chrono::milliseconds kLookInterval{50};

/// The parent of a process; 0 when it is gone; nothing when the system has no descriptor.
std::optional<pid_t> parent_of(const char* pid) {
  std::array<char, 512> text;
  const int file = open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && os::is_shortage(errno)) return std::nullopt;
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

/// All processes by their parents; nothing when the system has no descriptor.
std::optional<std::multimap<pid_t, pid_t>> all_children() {
  std::multimap<pid_t, pid_t> children;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
  if (!proc) return std::nullopt;
  while (const auto* entry = readdir(proc.get())) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    const auto parent = parent_of(entry->d_name);
    if (!parent) return std::nullopt;
    if (*parent > 0)
      children.emplace(*parent, static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)));
  }
  return children;
}

/// The same, with what is held in reserve. Another thread may be faster to take that: looks again,
/// for a second at most.
std::multimap<pid_t, pid_t> all_children_surely() {
  auto children = all_children();
  for (unsigned look = 0; !children && look < kMaxLooks; ++look) {
    if (look > 0) std::this_thread::sleep_for(kLookInterval);
    const MutexLock lock(reserve.mutex);
    reserve.release();
    children = all_children();
    reserve.fill();
  }
  if (!children) spdlog::error("cannot look at /proc: processes of an ended tool may live on");
  return children ? *std::move(children) : std::multimap<pid_t, pid_t>();
}

}  // namespace

std::vector<pid_t> descendants(pid_t root) {
  const auto children = all_children_surely();
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
