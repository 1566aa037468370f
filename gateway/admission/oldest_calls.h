#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "bus/bus.h"
#include "gateway/admission/bus_facts.h"

namespace toolway::gateway::admission {

/// How long the call that each durable delivers next has been waiting, found with as few reads of
/// the stream as possible: what was found holds until it is delivered, and a message that may lie
/// after many of other pools is not searched for, since the server would look at all of them.
/// Then the age counts from when this gateway saw the call wait. Pure; on one thread.
class OldestCalls {
 public:
  /// Between two reads for one durable.
  static constexpr std::chrono::seconds kSearchInterval{5};
  /// A durable's next message is searched for when at most this many of the stream's lie before it
  /// on average: the server looks at a million a second.
  static constexpr std::uint64_t kMaxDistance = 10'000;

  /// The sequence to read the stream from for `queue`: its first message at or after that one
  /// is the answer. Nothing: no need, or not now.
  std::optional<std::uint64_t> search_from(const QueueFacts& queue, const bus::StreamState& stream,
                                           MonotonicTime now);
  void found(const std::string& durable, std::uint64_t sequence, WallTime stored_at);
  /// By the server's clock and ours; 0 when nothing waits.
  std::chrono::milliseconds age(const QueueFacts& queue, WallTime now);
  /// Forgets durables that no longer exist.
  void keep(const BusFacts& facts);

 private:
  struct Known {
    std::uint64_t sequence = 0;  ///< of the call that was found; 0: none
    WallTime stored_at{};
    std::optional<MonotonicTime> searched_at;
    std::uint64_t delivered = 0;          ///< as it was at `waits_since`
    std::optional<WallTime> waits_since;  ///< seen waiting since then, with nothing delivered
  };
  std::map<std::string, Known> known_;  ///< by durable
};

}  // namespace toolway::gateway::admission
