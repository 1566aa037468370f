#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace toolway::os {

/// Whom a process runs as. Made from a number: with the group of that number, and no other.
struct ProcessUser {
  ProcessUser(uid_t number) : user(number), group(number) {}
  ProcessUser(uid_t number, gid_t first, std::vector<gid_t> further)
      : user(number), group(first), groups(std::move(further)) {}
  uid_t user;
  gid_t group;
  std::vector<gid_t> groups{};
};

/// What a child process is started with. Nothing else of ours reaches it: its
/// environment is `environment`, its files are `files` (and /dev/null as 0, 1, 2
/// where they are not given), and it is in a session of its own.
struct ChildOptions {
  std::vector<std::string> argv;  ///< argv[0]: a path, or a name looked up in `environment`'s PATH
  std::vector<std::string> environment;      ///< `NAME=value`
  std::string directory{};                   ///< empty: ours
  std::vector<std::pair<int, int>> files{};  ///< the child's number, ours; the child's below 64
  struct Limit {
    int resource;  ///< RLIMIT_…
    std::uint64_t value;
  };
  std::vector<Limit> limits{};        ///< soft and hard alike
  std::optional<ProcessUser> user{};  ///< only root can
  /// Even as root it may not inspect other processes (it lacks CAP_SYS_PTRACE).
  bool may_inspect = false;
  /// It, and what it starts, can inspect nothing but itself and what it starts: not what else runs
  /// as its user (own_domain.h; without such domains it starts without one). Not for what makes
  /// sandboxes: inside, mounts are refused.
  bool in_own_domain = false;
  /// What it gets when the thread that started it ends; 0: nothing.
  int death_signal = SIGKILL;
};

/// Whether the system's error says that a resource is used up and may be free again later.
bool is_shortage(int error);

/// How a process ended.
struct ChildEnd {
  int status = 0;  ///< exit status, when it exited
  int signal = 0;  ///< what killed it, or 0
};

/// A child process and its session. Killed, and waited for, when destroyed. It
/// gets `death_signal` when the THREAD that started it ends (PR_SET_PDEATHSIG): start what outlives
/// a call from a thread that lives as long as it (spawner.h). For one thread.
class Child {
 public:
  /// Errors: kNotFound (no such program or directory), kOverloaded (the system has no process,
  /// descriptor or memory left: nothing was run, and it may be tried again), kInternal with the
  /// system's words.
  static Result<std::unique_ptr<Child>> start(const ChildOptions& options);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  /// Becomes readable when the process ends; for poll. -1: the system had none left.
  int pidfd() const { return pidfd_; }
  void signal(int number) const;
  /// To all of its process group.
  void signal_group(int number) const;
  /// Waits at most `patience`; nothing while it runs.
  std::optional<ChildEnd> wait(std::chrono::milliseconds patience);

 private:
  Child(pid_t pid, int pidfd) : pid_(pid), pidfd_(pidfd) {}
  const pid_t pid_;
  const int pidfd_;
  std::optional<ChildEnd> end_;
};

}  // namespace toolway::os
