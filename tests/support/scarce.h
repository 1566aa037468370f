#pragma once

#include <fcntl.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace toolway::test {

/// As long as it lives this process gets no further descriptor (EMFILE), unless it closes others;
/// those that are open stay usable. Not by a limit of 0: with that poll(2) refuses to wait for
/// anything.
class NoDescriptors {
 public:
  /// `spare`: how many it still gets
  explicit NoDescriptors(std::size_t spare = 0) {
    getrlimit(RLIMIT_NOFILE, &before_);
    int highest = 2;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      highest = std::max(highest, std::stoi(entry.path().filename().string()));
    }
    auto none = before_;
    none.rlim_cur = static_cast<rlim_t>(highest) + 1 + spare;
    setrlimit(RLIMIT_NOFILE, &none);
    take_rest();
    for (; spare > 0 && !taken_.empty(); --spare) {
      close(taken_.back());
      taken_.pop_back();
    }
  }
  ~NoDescriptors() { give_back(); }
  /// Those that were closed since.
  void take_rest() {
    for (int file = dup(0); file >= 0; file = dup(0)) taken_.push_back(file);
  }
  void give_back() {
    for (const int file : taken_) close(file);
    taken_.clear();
    setrlimit(RLIMIT_NOFILE, &before_);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
  std::vector<int> taken_;
};

/// Runs `work` in a process of its own, as an otherwise unused user, which may have `processes`
/// more processes and threads than there are (RLIM_INFINITY: the limit as now); its exit status, or
/// -1. For what root is not refused.
inline int as_nobody(rlim_t processes, const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    constexpr uid_t kNobody = 61234;  // no other process's
    const rlimit limit{processes, processes};
    if (geteuid() == 0 &&
        (setgroups(0, nullptr) != 0 || setresgid(kNobody, kNobody, kNobody) != 0 ||
         setresuid(kNobody, kNobody, kNobody) != 0))
      _exit(99);
    // This user cannot raise an existing limit.
    if (processes != RLIM_INFINITY && setrlimit(RLIMIT_NPROC, &limit) != 0) _exit(98);
    _exit(work());
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status)
                                                                               : -1;
}

}  // namespace toolway::test
