#pragma once

#include <cstddef>

#include "gateway/answers/written_answer.h"
#include "gateway/wire/memory_budget.h"

namespace toolway::gateway::answers {

/// Requests and answers up to this length are part of what every connection takes.
inline constexpr std::size_t kNotCounted = wire::MemoryBudget::kUncounted;
/// The longest answer that is sent however much is held. A longer one needs room: a handler takes
/// it before it does anything, and puts it into `Response::memory`.
inline constexpr std::size_t kAlwaysSent = 64 * 1024;

/// Room for a text of `bytes` that will be part of an answer; a short one needs none. Errors:
/// overloaded.
inline wire::HttpResult<wire::MemoryBudget::Share> room_for(wire::MemoryBudget& memory,
                                                            std::size_t bytes) {
  return memory.take(wire::MemoryUse::kAnswer, bytes > kAlwaysSent ? bytes : 0);
}

/// Counts what `response` holds from now on, until it is sent. What has room or a place already is
/// counted as long as it really is, even beyond the budget. False: there is no room for it.
[[nodiscard]] inline bool hold_answer(wire::MemoryBudget& memory, wire::Response& response,
                                      Sent sent) {
  constexpr std::size_t kPiece = 512 * 1024;  // of a stream: a chunk of a result, twice
  const std::size_t bytes = response.body.capacity() + (response.stream ? kPiece : 0);
  if (bytes <= kNotCounted) return true;
  const bool counted = response.memory.bytes() > 0;
  const bool has_room = counted || response.place != nullptr;
  if (!counted) response.memory = {memory, wire::MemoryUse::kAnswer};
  if (!has_room && (sent == Sent::kIfThereIsRoom || bytes > kAlwaysSent))
    return response.memory.try_resize(bytes);
  response.memory.resize(bytes);
  return true;
}

}  // namespace toolway::gateway::answers
