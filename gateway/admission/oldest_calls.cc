#include "gateway/admission/oldest_calls.h"

#include <algorithm>
#include <set>

namespace toolway::gateway::admission {

std::optional<std::uint64_t> OldestCalls::search_from(const QueueFacts& queue,
                                                      const bus::StreamState& stream,
                                                      MonotonicTime now) {
  const bus::ConsumerState& state = queue.state;
  if (state.pending == 0) return std::nullopt;
  Known& known = known_[queue.durable];
  // Past the end: the stream was made again.
  const bool still_waits = known.sequence > state.delivered &&
                           known.sequence >= stream.first_sequence &&
                           known.sequence <= stream.last_sequence;
  if (still_waits || (known.searched_at && now - *known.searched_at < kSearchInterval))
    return std::nullopt;
  known.searched_at = now;
  const std::uint64_t from = std::max(state.delivered + 1, stream.first_sequence);
  const std::uint64_t behind = stream.last_sequence >= from ? stream.last_sequence - from + 1 : 0;
  if (behind / state.pending <= kMaxDistance) return from;
  known.sequence = 0;
  return std::nullopt;
}

void OldestCalls::found(const std::string& durable, std::uint64_t sequence, WallTime stored_at) {
  Known& known = known_[durable];
  known.sequence = sequence;
  known.stored_at = stored_at;
}

std::chrono::milliseconds OldestCalls::age(const QueueFacts& queue, WallTime now) {
  Known& known = known_[queue.durable];
  if (queue.state.pending == 0) {
    known = {};
    return std::chrono::milliseconds(0);
  }
  if (!known.waits_since || known.delivered != queue.state.delivered) {
    known.waits_since = now;
    known.delivered = queue.state.delivered;
  }
  const WallTime since = known.sequence == 0 ? *known.waits_since : known.stored_at;
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::max(now - since, WallTime::duration::zero()));
}

void OldestCalls::keep(const BusFacts& facts) {
  std::set<std::string> there;
  for (const auto& [pool, queues] : facts.pools) {
    for (const QueueFacts& queue : queues) there.insert(queue.durable);
  }
  std::erase_if(known_, [&](const auto& entry) { return !there.contains(entry.first); });
}

}  // namespace toolway::gateway::admission
