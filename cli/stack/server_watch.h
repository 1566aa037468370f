#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/stack/restart_delay.h"

namespace toolway::cli {

/// Keeps nats-server or Postgres running. A restart takes seconds (Postgres recovers first), so
/// it runs on a thread of its own, and the rest of the stack is looked after meanwhile.
class ServerWatch {
 public:
  struct Server {
    std::string name;
    std::string log_file;
    std::function<bool()> alive;
    std::function<int()> pid;
    std::function<Result<void>()> restart;  ///< called on another thread
  };
  using Time = std::chrono::steady_clock::time_point;
  using Say = std::function<void(const std::string&)>;

  ServerWatch(Server server, Time started_at) : server_(std::move(server)), started_at_(started_at) {}

  /// Looks once. Returns whether it has just come back.
  bool look_after(Time now, const Say& say);
  /// Whether it runs, as far as it was seen.
  bool up() const { return !start_again_at_ && !restarting_.valid() && server_.alive(); }
  /// Waits for a restart under way, which ends soon once the server has been stopped.
  void finish();

 private:
  void has_ended(Time now, const Say& say);

  Server server_;
  Time started_at_;
  std::optional<Time> start_again_at_;
  std::future<Result<void>> restarting_;
  RestartDelay delay_;
};

}  // namespace toolway::cli
