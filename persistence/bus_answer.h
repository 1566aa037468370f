#pragma once

#include <future>
#include <memory>
#include <utility>

#include "bus/bus.h"

namespace toolway::persistence {

/// Asks the bus and waits for its answer, which always comes: a handler runs exactly once.
/// `ask` gets the handler. Not for threads of the bus.
template <typename T, typename Ask>
Result<T> answer_of(Ask&& ask) {
  auto promise = std::make_shared<std::promise<Result<T>>>();
  auto future = promise->get_future();
  std::forward<Ask>(ask)([promise](Result<T> answer) { promise->set_value(std::move(answer)); });
  return future.get();
}

}  // namespace toolway::persistence
