#pragma once

#include <chrono>
#include <string>
#include <unordered_map>

#include "proto/toolway/v1/call.pb.h"

namespace toolway::gateway::mcp {

/// How long the runs of tools usually take, as far as this gateway has seen their ends, and so how
/// often a client is to look at a task. For one thread.
class UsualRuns {
 public:
  static constexpr std::chrono::milliseconds kUnknown{1000};
  static constexpr std::chrono::milliseconds kMinInterval{500};
  static constexpr std::chrono::milliseconds kMaxInterval{10'000};
  /// Once this number of tools is known, the runs of others are not learned.
  static constexpr std::size_t kMaxTools = 10'000;

  /// `end`: a completion. One that says nothing of a start counts for nothing.
  void ended(const v1::CallEvent& end);
  /// A tenth of a usual run of the tool, which is named with its namespace, within the bounds;
  /// kUnknown: none was seen.
  std::chrono::milliseconds poll_interval(const std::string& tool) const;

 private:
  std::unordered_map<std::string, double> runs_ms_;
};

}  // namespace toolway::gateway::mcp
