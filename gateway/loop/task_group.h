#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "base/result.h"
#include "gateway/loop/asio_types.h"

namespace toolway::gateway::loop {

/// Tasks that run at the same time, for a coroutine that waits for all of them, or for those that
/// end in time. On the io_context's thread. A task that is given up still runs to its end and its
/// result is dropped, so it must hold what it uses.
class TaskGroup {
 public:
  explicit TaskGroup(Executor executor)
      : executor_(executor), running_(std::make_shared<Running>(executor)) {}

  /// Its result, once it has ended; nothing while it runs, or when it threw.
  template <typename T>
  std::shared_ptr<std::optional<T>> start(Task<T> task) {
    auto result = std::make_shared<std::optional<T>>();
    ++running_->count;
    auto ended = [result, running = running_](std::exception_ptr error, T value) {
      if (!error) result->emplace(std::move(value));
      running->end_one();
    };
    asio::co_spawn(executor_, std::move(task), std::move(ended));
    return result;
  }
  void start(Task<void> task) {
    ++running_->count;
    auto ended = [running = running_](std::exception_ptr) { running->end_one(); };
    asio::co_spawn(executor_, std::move(task), std::move(ended));
  }

  /// Returns when all have ended.
  Task<void> wait() {
    running_->done.expires_at(Timer::time_point::max());
    return wait_until_expiry();
  }
  /// The same, or after `limit` if that comes first.
  Task<void> wait(std::chrono::nanoseconds limit) {
    running_->done.expires_after(limit);
    return wait_until_expiry();
  }

 private:
  struct Running {
    explicit Running(Executor executor) : done(executor) {}
    void end_one() {
      if (--count == 0) done.cancel();
    }
    std::size_t count = 0;
    Timer done;
  };

  Task<void> wait_until_expiry() {
    const auto running = running_;
    // Of a wait that `end_one` cancelled; none: the timer has expired.
    boost::system::error_code cancelled = asio::error::operation_aborted;
    while (running->count > 0 && cancelled) {
      cancelled.clear();
      auto token = asio::redirect_error(use_task, cancelled);
      co_await running->done.async_wait(token);
    }
  }

  Executor executor_;
  std::shared_ptr<Running> running_;
};

/// Takes out what a task of a group has found; nothing while it runs, and when it failed.
template <typename T, typename E>
std::optional<T> take_value(const std::shared_ptr<std::optional<tl::expected<T, E>>>& result) {
  auto& ended = *result;
  if (!ended || !ended->has_value()) return std::nullopt;
  return std::move(ended->value());
}

}  // namespace toolway::gateway::loop
