#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>

namespace toolway::test {

/// How long a test waits for what must come; only a failing test waits that long.
inline constexpr std::chrono::seconds kPatience{20};

/// Hands what a callback got to the test's thread. Copies share the same value.
template <typename T>
class Awaited {
 public:
  /// The callback to hand out.
  std::function<void(T)> callback() {
    return [state = state_](T value) {
      const std::scoped_lock lock(state->mutex);
      state->values.push_back(std::move(value));
      state->arrived.notify_all();
    };
  }

  /// The next value, in order of arrival; nothing when none comes in time.
  std::optional<T> next(std::chrono::milliseconds patience = kPatience) {
    std::unique_lock lock(state_->mutex);
    if (!state_->arrived.wait_for(lock, patience, [this] { return !state_->values.empty(); })) {
      return std::nullopt;
    }
    T value = std::move(state_->values.front());
    state_->values.pop_front();
    return value;
  }

  std::size_t waiting() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->values.size();
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable arrived;
    std::deque<T> values;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace toolway::test
