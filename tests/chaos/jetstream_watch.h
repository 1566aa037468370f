#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "bus/bus.h"

namespace toolway::chaos {

/// Asks CALLS and EVENTS every second whether they answer, as the supervisor of a nats-server must:
/// with a full disk some versions stop answering for good, while the connection is fine.
class JetStreamWatch {
 public:
  static Result<std::unique_ptr<JetStreamWatch>> start(const std::string& url);
  /// How long ago both last answered. Thread-safe.
  std::chrono::steady_clock::duration silent_for() const;
  /// Starts over: the server was away on purpose, or was started again.
  void forgive();

 private:
  explicit JetStreamWatch(std::unique_ptr<bus::Bus> bus);
  void run(const std::stop_token& stop);

  std::unique_ptr<bus::Bus> bus_;
  std::atomic<std::chrono::steady_clock::time_point> answered_;
  std::mutex mutex_;
  std::condition_variable_any ending_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace toolway::chaos
