#pragma once

#include <map>
#include <utility>

#include "chat/turns/turn_queue.h"

namespace toolway::chat::turns {

/// Messages in memory, as a test stores them. Not thread-safe.
class FakeTurnQueue final : public TurnQueue {
 public:
  std::vector<Found> next(const std::vector<QueuePlace>& places) override {
    std::vector<Found> found;
    for (const auto& place : places) {
      ++asked;
      if (away) {
        found.emplace_back(fail(ErrorCode::kBusUnavailable, "away"));
        continue;
      }
      const auto one = stored.lower_bound({place.subject, place.sequence});
      const bool is_there = one != stored.end() && one->first.first == place.subject;
      found.emplace_back(is_there ? std::optional(one->second) : std::nullopt);
    }
    return found;
  }
  void store(const std::string& subject, QueuedTurn turn) {
    const auto sequence = turn.sequence;
    stored.insert_or_assign({subject, sequence}, std::move(turn));
  }

  std::map<std::pair<std::string, std::uint64_t>, QueuedTurn> stored;
  int asked = 0;
  bool away = false;
};

}  // namespace toolway::chat::turns
