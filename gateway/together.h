#pragma once

#include <optional>
#include <utility>

#include "gateway/asio_types.h"

namespace toolway::gateway {

/// Tasks that run at once. Must live until `all` has returned, as must what they fill in.
/// On the io_context's thread.
class Together {
 public:
  explicit Together(Executor executor)
      : executor_(executor), done_(executor, Timer::time_point::max()) {}

  /// Begins a task now; `into` gets what it returns.
  template <typename T>
  void run(Task<T> task, std::optional<T>& into) {
    ++under_way_;
    auto ended = [this, &into](std::exception_ptr error, T value) {
      if (!error) into.emplace(std::move(value));
      end_one();
    };
    asio::co_spawn(executor_, std::move(task), std::move(ended));
  }
  void run(Task<void> task) {
    ++under_way_;
    auto ended = [this](std::exception_ptr) { end_one(); };
    asio::co_spawn(executor_, std::move(task), std::move(ended));
  }
  /// Waits until every task has ended.
  Task<void> all() {
    while (under_way_ > 0) co_await wait_on(done_);
  }

 private:
  void end_one() {
    if (--under_way_ == 0) done_.cancel();
  }
  Executor executor_;
  Timer done_;
  std::size_t under_way_ = 0;
};

}  // namespace toolway::gateway
