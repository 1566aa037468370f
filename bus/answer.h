#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <utility>

#include "bus/bus.h"

namespace toolway::bus {

/// Asks the bus and returns a future of its answer. `ask` gets the handler.
template <typename T, typename Ask>
std::future<Result<T>> asked(Ask&& ask) {
  auto promise = std::make_shared<std::promise<Result<T>>>();
  auto answer = promise->get_future();
  std::forward<Ask>(ask)([promise](Result<T> result) { promise->set_value(std::move(result)); });
  return answer;
}

/// Asks the bus and waits for its answer, which always comes: a handler runs exactly once.
/// Not for threads of the bus.
template <typename T, typename Ask>
Result<T> answer_of(Ask&& ask) {
  return asked<T>(std::forward<Ask>(ask)).get();
}

/// Likewise, for a caller with limited time. Errors: kTimeout after `patience`.
template <typename T, typename Ask>
Result<T> answer_within(std::chrono::milliseconds patience, Ask&& ask) {
  auto answer = asked<T>(std::forward<Ask>(ask));
  if (answer.wait_for(patience) != std::future_status::ready)
    return fail(ErrorCode::kTimeout, "NATS does not answer");
  return answer.get();
}

}  // namespace toolway::bus
