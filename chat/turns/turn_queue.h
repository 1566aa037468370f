#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace toolway::chat::turns {

/// Where a turn's message is among those of its session.
struct QueuePlace {
  std::string subject;  ///< of the session's turns
  std::uint64_t sequence = 0;
};

/// A message as the queue has it.
struct QueuedTurn {
  std::uint64_t sequence = 0;
  std::string id;         ///< of its call
  std::string arguments;  ///< of its call
  WallTime stored_at{};
};

/// The turns that were accepted, in the order in which they were: stream CALLS, which keeps the
/// messages of those that have ended, too.
class TurnQueue {
 public:
  virtual ~TurnQueue() = default;
  /// Of each place, in their order, the first message of its subject there or after it; nothing:
  /// there is none, or the replica that was asked lags behind. Asks for all at once, and blocks.
  using Found = Result<std::optional<QueuedTurn>>;
  virtual std::vector<Found> next(const std::vector<QueuePlace>& places) = 0;
};

}  // namespace toolway::chat::turns
