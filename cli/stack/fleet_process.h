#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/stack/restart_delay.h"
#include "local/child_process.h"

namespace toolway::cli::stack {

/// What follows the end of a process.
enum class AfterEnd {
  kStartLater,   ///< it was not asked to end: by its RestartDelay
  kStartAtOnce,  ///< it is restarted
  kGone,         ///< it is one too many
};

/// Why a process of the fleet ended before it was ready: by the status with which it left, what it
/// was started with is wrong, or it could not; nothing: it took too long.
ErrorCode code_of_end(const std::optional<int>& status);

/// One process of the fleet as `dev` keeps it: how to start it, where it
/// listens, and how long to wait before starting it again.
class FleetProcess {
 public:
  struct Plan {
    std::string role;               ///< gateway, worker, collector
    std::string name;               ///< gateway-0 …
    std::string listen;             ///< HOST:PORT; port 0 becomes the one it got
    std::vector<std::string> argv;  ///< without --http/--metrics and --ready-file
    std::map<std::string, std::string> environment;
    std::string log_file;
    std::size_t log_from = 0;  ///< what is before is of an earlier `dev`
    std::string ready_file;
  };
  using Time = std::chrono::steady_clock::time_point;

  explicit FleetProcess(Plan plan) : plan_(std::move(plan)) {}

  Result<void> start(Time now);
  /// Whether it has said where it listens, and answers there.
  bool check_ready();
  bool ready() const { return ready_; }
  /// SIGTERM: it drains. It is not ready from now on.
  void end_gently(AfterEnd after);
  AfterEnd after_end() const { return after_end_; }
  /// It has ended, for good.
  bool gone() const { return after_end_ == AfterEnd::kGone && end_seen_; }
  /// Its exit status, once, when it has ended.
  std::optional<int> died();
  /// After an end: how long to wait before starting it again.
  std::chrono::milliseconds next_delay(Time now) { return delay_.next(now - started_at_); }
  /// Whether it ends again and again as soon as it is started.
  bool hopeless() const { return delay_.hopeless(); }

  local::ChildProcess* child() const { return child_.get(); }
  int pid() const { return child_ ? child_->pid() : 0; }
  const Plan& plan() const { return plan_; }
  const std::string& url() const { return url_; }
  Time start_again_at{};

 private:
  Plan plan_;
  std::unique_ptr<local::ChildProcess> child_;
  std::string url_;
  bool ready_ = false;
  bool end_seen_ = true;
  AfterEnd after_end_ = AfterEnd::kStartLater;
  Time started_at_{};
  RestartDelay delay_;
};

}  // namespace toolway::cli::stack
