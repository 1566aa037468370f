#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>

#include "base/clock.h"

namespace toolway::gateway::mcp {

/// How soon the same running task is shown again: clients that poll without pause get their answers
/// later. For one thread.
class PollPace {
 public:
  static constexpr std::chrono::milliseconds kPollInterval{100};
  /// Polls of one task at the same time wait for each other, no longer than this.
  static constexpr std::chrono::milliseconds kMaxWait{1000};
  /// While this number is polled, no other is slowed.
  static constexpr std::size_t kMaxTasks = 10'000;

  /// For how long the answer to a poll that comes now waits.
  std::chrono::milliseconds wait_of(const std::string& task_id, MonotonicTime now);
  std::size_t tasks() const { return free_at_.size(); }

 private:
  std::unordered_map<std::string, MonotonicTime> free_at_;  ///< when the next poll need not wait
  MonotonicTime swept_{};
};

}  // namespace toolway::gateway::mcp
