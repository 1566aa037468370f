#pragma once

#include <utility>

#include "base/clock.h"
#include "base/try.h"
#include "gateway/loop/async_semaphore.h"
#include "gateway/loop/async_store.h"
#include "gateway/loop/give_way.h"
#include "gateway/wire/memory_budget.h"

namespace toolway::gateway::answers {

/// Where pages of the record come from.
struct PageSources {
  loop::AsyncStore& store;
  loop::AsyncSemaphore& turns;  ///< only a few are read at once
  wire::MemoryBudget& memory;
  const Clock& clock;
};

/// A page, and the memory that it and its text take until the answer is sent.
template <typename T>
struct HeldPage {
  persistence::store::Page<T> rows;
  wire::MemoryBudget::Share memory;
};

/// Reads a page by `read(store)`. While it reads, what the largest page takes counts as held, so
/// only a few are read at once; the others wait, no longer than they would for a silent store.
/// `due`: since when the request has waited, for the collectors too. Errors: the store's,
/// overloaded.
template <typename T, typename Read>
loop::Task<wire::HttpResult<HeldPage<T>>> read_held_page(const PageSources& sources,
                                                         MonotonicTime due, Read read) {
  const auto permit = co_await sources.turns.acquire();
  CO_ASSIGN_OR_RETURN(auto memory,
                      sources.memory.take(wire::MemoryUse::kAnswer, wire::kPageMemory));
  CO_ASSIGN_OR_RETURN(
      auto rows, co_await sources.store.run<persistence::store::Page<T>>(std::move(read), due));
  // One turn of the loop may bring several pages, and each becomes text of 256 KiB at once.
  co_await loop::give_way();
  constexpr std::size_t kRow = 1024;
  // As rows, as text, and in between.
  memory.resize(rows.bytes * 3 + rows.size() * kRow);
  co_return HeldPage<T>{std::move(rows), std::move(memory)};
}

}  // namespace toolway::gateway::answers
