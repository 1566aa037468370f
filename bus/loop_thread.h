#pragma once

#include <thread>
#include <utility>

#include "bus/loop.h"

namespace toolway::bus {

/// A loop, and the thread that takes its turns while it is started: a bus needs no other owner.
/// Another thread may take them in between, after stop() and before start(). Not thread-safe.
class LoopThread {
 public:
  /// `turn_ended` runs on that thread after each turn.
  explicit LoopThread(Loop::Task turn_ended = {}) : turn_ended_(std::move(turn_ended)) {}
  ~LoopThread() { stop(); }
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  void start() {
    thread_ = std::thread([this] { loop_.run(turn_ended_); });
  }
  /// Returns after its last turn.
  void stop() {
    if (!thread_.joinable()) return;
    loop_.stop();
    thread_.join();
  }
  Loop& loop() { return loop_; }

 private:
  const Loop::Task turn_ended_;
  Loop loop_;
  std::thread thread_;
};

}  // namespace toolway::bus
