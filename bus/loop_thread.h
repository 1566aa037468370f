#pragma once

#include <thread>
#include <utility>

#include "bus/loop.h"

namespace toolway::bus {

/// A loop, and the thread that takes its turns while it is started: a bus needs no other owner.
/// Another thread may take them in between, after stop() and before start(). Not thread-safe.
class LoopThread {
 public:
  explicit LoopThread(Loop::Watch watch = {}) : loop_(std::move(watch)) {}
  ~LoopThread() { stop(); }
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  void start() {
    thread_ = std::thread([this] { loop_.run(); });
  }
  /// Returns after its last turn.
  void stop() {
    if (!thread_.joinable()) return;
    loop_.stop();
    thread_.join();
  }
  Loop& loop() { return loop_; }

 private:
  Loop loop_;
  std::thread thread_;
};

}  // namespace toolway::bus
