#pragma once

#include <cstddef>

#include "gateway/loop/asio_types.h"

namespace toolway::gateway::loop {

/// Lets other coroutines have their turn; after every kTurnBytes of text written.
inline constexpr std::size_t kTurnBytes = 256 * 1024;
inline Task<void> give_way() {
  const Executor executor = co_await asio::this_coro::executor;
  co_await asio::post(executor, use_task);
}

}  // namespace toolway::gateway::loop
