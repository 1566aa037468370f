#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "tests/simulation/fiber_executor.h"

namespace toolway::simulation::turns {

/// For the fiber that runs now: begins something that answers later, and waits for the answer.
/// Nothing: it did not come in time, or a stop was requested first.
template <typename T>
std::optional<T> awaited(Micros patience, const std::function<void(std::function<void(T)>)>& begin,
                         const std::stop_token& stop = {}) {
  struct Shared {
    std::stop_source done;
    std::optional<T> value;
  };
  const auto shared = std::make_shared<Shared>();
  const std::stop_callback stopped(stop, [shared] { shared->done.request_stop(); });
  begin([shared](T value) {
    shared->value = std::move(value);
    shared->done.request_stop();
  });
  FiberExecutor::sleep(patience, shared->done.get_token());
  return std::exchange(shared->value, std::nullopt);
}

}  // namespace toolway::simulation::turns
