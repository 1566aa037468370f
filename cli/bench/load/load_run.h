#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/bench/load/group_run.h"
#include "cli/process/stop_signals.h"

namespace toolway::cli::bench::load {

/// What `run` is given, and reports, besides the scenario.
struct LoadHooks {
  GroupRun::KindCall kind_call;                      ///< see CallTexts
  std::function<void(const std::string&)> progress;  ///< a line, once a second
  std::function<void()> opened = [] {};              ///< every session is open
  std::function<void()> followed = [] {};            ///< and every event stream
  /// The warm-up begins; the time (steady clock) at which it ends.
  std::function<void(std::chrono::steady_clock::time_point)> begun = [](auto) {};
  /// The stages have ended: whether to continue, at the last pace.
  std::function<bool()> keep_on = [] { return false; };
};

/// Makes the load of a scenario's groups from one thread, one loop for all of them.
class LoadRun {
 public:
  /// The scenario and the target must outlive it.
  LoadRun(const scenario::Scenario& scenario, const LoadTarget& target, LoadHooks hooks);
  ~LoadRun();
  LoadRun(const LoadRun&) = delete;
  LoadRun& operator=(const LoadRun&) = delete;

  /// Opens and follows the sessions, makes the load, and waits until every call is seen completed,
  /// or nothing has come for 30 s. Errors: kShuttingDown when a signal came; a gateway's, before
  /// the load began.
  Result<void> run(process::StopSignals& signals);

  const std::vector<std::unique_ptr<GroupRun>>& groups() const { return groups_; }
  /// Of the measured part, up to the last completion.
  double seconds() const { return seconds_; }

 private:
  Result<void> prepare(process::StopSignals& signals);
  void turn(int timeout_ms);
  void arm_timer();
  void say_progress();

  const scenario::Scenario& scenario_;
  const LoadTarget& target_;
  const LoadHooks hooks_;
  const int epoll_;
  const int timer_;
  std::vector<std::unique_ptr<GroupRun>> groups_;
  std::int64_t zero_ = 0;
  std::int64_t armed_ = 0;  ///< when the timer expires
  std::int64_t said_at_ = 0;
  std::uint64_t seen_before_ = 0;
  double seconds_ = 0;
};

}  // namespace toolway::cli::bench::load
