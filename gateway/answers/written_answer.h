#pragma once

#include <string>
#include <utility>

#include "base/try.h"
#include "gateway/loop/work_pool.h"
#include "gateway/wire/http_types.h"

namespace toolway::gateway::answers {

/// What a large answer takes: memory, and the threads that write it.
struct AnswerRoom {
  wire::MemoryBudget& memory;
  loop::WorkPool& work;
};

/// Whether an answer may be refused for its length: not when it reports what was done. What makes
/// such an answer long was counted before it was done.
enum class Sent { kIfThereIsRoom, kAlways };

/// `response` with the body that `write(std::string&)` appends: written here when it is small, or
/// else on the threads for large documents, where what `write` holds is destroyed. `bytes`: about
/// how many it writes, or more where a byte takes longer than a few ns; they count as held from now
/// on. Errors: overloaded, unless it is always sent.
template <typename Write>
loop::Task<wire::HttpResult<wire::Response>> written(const AnswerRoom& room,
                                                     wire::Response response, std::size_t bytes,
                                                     Sent sent, Write write) {
  if (bytes <= loop::WorkPool::kSmall) {
    write(response.body);
    co_return response;
  }
  if (response.memory.bytes() == 0) response.memory = {room.memory, wire::MemoryUse::kAnswer};
  const std::size_t held = response.memory.bytes() + bytes;
  if (sent == Sent::kAlways) {
    response.memory.resize(held);
  } else if (!response.memory.try_resize(held)) {
    co_return wire::refuse(wire::memory_problem());
  }
  auto work = [write = std::move(write)]() mutable -> Result<std::string> {
    std::string text;
    write(text);
    return text;
  };
  const auto when_full =
      sent == Sent::kAlways ? loop::WorkPool::WhenFull::kWaits : loop::WorkPool::WhenFull::kRefused;
  CO_ASSIGN_OR_RETURN(response.body,
                      co_await room.work.run<std::string>(std::move(work), when_full));
  co_return response;
}

}  // namespace toolway::gateway::answers
