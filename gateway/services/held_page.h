#pragma once

#include <utility>

#include "gateway/services/services.h"

namespace toolway::gateway {

/// A page, and the memory that it and its text take until the answer is sent.
template <typename T>
struct HeldPage {
  persistence::Page<T> rows;
  MemoryBudget::Share memory;
};

/// Reads a page by `read(store)`. While it reads, what the largest page takes counts as held, so
/// only a few are read at once; the others wait, no longer than they would for a silent store.
/// Errors: the store's, overloaded.
template <typename T, typename Read>
Task<Answer<HeldPage<T>>> read_held_page(Services& services, Read read) {
  const auto due = services.clock.monotonic();
  const auto pass = co_await services.pages.enter();
  auto memory = services.memory.take(MemoryUse::kAnswer, kPageMemory);
  if (!memory) co_return refuse(std::move(memory.error()));
  auto rows = co_await services.store.run<persistence::Page<T>>(std::move(read), due);
  if (!rows) co_return refuse(std::move(rows.error()));
  constexpr std::size_t kRow = 1024;
  // As rows, as text, and in between.
  memory->resize(rows->bytes * 3 + rows->size() * kRow);
  co_return HeldPage<T>{std::move(*rows), std::move(*memory)};
}

}  // namespace toolway::gateway
