#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/silence.h"
#include "cli/stack/restart_delay.h"
#include "cli/stack/silent_server.h"

namespace toolway::cli::stack {

/// Keeps nats-server or Postgres running: starts it again when it has ended, and when it is alive
/// but hangs. A restart takes seconds (Postgres recovers first), so it runs on a thread of its own,
/// while the rest of the stack is looked after.
class ServerWatch {
 public:
  struct Server {
    std::string name;
    std::string log_file;
    std::function<bool()> alive;
    std::function<int()> pid;
    std::function<Result<void>()> restart;  ///< called on another thread
    /// Whether it answers, asked every second on another thread; may take some seconds. Empty: it
    /// is not asked.
    std::function<bool()> answers{};
    std::function<void()> kill{};  ///< ends one that hangs; called on another thread
  };
  using Time = std::chrono::steady_clock::time_point;
  using Say = std::function<void(const std::string&)>;

  ServerWatch(Server server, Time started_at)
      : server_(std::move(server)), started_at_(started_at) {}

  /// Looks once. Returns whether it has just come back.
  bool supervise(Time now, DiskState disk, const Say& say);
  /// Whether it runs, as far as it was seen.
  bool up() const { return !start_again_at_ && !restarting_.valid() && server_.alive(); }
  /// Waits for a restart or a question in progress, which ends soon once the server has been
  /// stopped.
  void finish();

 private:
  void has_ended(Time now, const Say& say);
  void listen(Time now);
  void look_at_silence(Time now, DiskState disk, const Say& say);

  Server server_;
  Time started_at_;
  std::optional<Time> start_again_at_;
  std::future<Result<void>> restarting_;
  RestartDelay delay_;
  std::future<bool> asking_;
  Time asked_at_{};
  Silence silence_;
  bool waits_for_room_ = false;
};

}  // namespace toolway::cli::stack
