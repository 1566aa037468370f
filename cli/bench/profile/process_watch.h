#pragma once

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "cli/bench/profile/machine_time.h"
#include "cli/bench/profile/switches.h"

namespace toolway::cli::bench::profile {

/// What processes used in a time.
struct Use {
  double user_us = 0;
  double system_us = 0;
  Switches switches;
};

/// What was used in a time.
struct Used {
  std::map<std::string, Use> roles;
  double others = 0;  ///< share of the machine's CPU that all other programs took
};

/// The processes of each role, as they were started.
using Pids = std::map<std::string, std::vector<int>>;

/// The role of this process. Its children do not count: they are the other roles.
inline constexpr const char* kClient = "client";

/// The same with the children that they have now, and theirs.
Pids with_children(const Pids& pids);

/// Watches what processes use between `start` and `stop`, in /proc. CPU is what the kernel counts
/// of whole processes and of children that have ended, in steps of 10 ms. Context switches are
/// counted by thread, so a thread looks at them once a second; what a thread does after the last
/// look before its end is missing.
class ProcessWatch {
 public:
  explicit ProcessWatch(Pids pids) : pids_(std::move(pids)) {}
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

  /// Once.
  void start();
  /// What was used since `start`. Once, after it. Errors: kInternal when a process has ended.
  Result<Used> stop();

 private:
  struct Cpu {
    double user_us = 0;
    double system_us = 0;
  };

  Result<std::map<std::string, Cpu>> cpu() const;
  void look();

  const Pids pids_;
  Result<std::map<std::string, Cpu>> before_;
  MachineTime machine_before_;
  std::map<std::string, SwitchCount> switches_;  ///< of the thread, while it runs
  Mutex mutex_;
  StoppableCondVar never_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace toolway::cli::bench::profile
