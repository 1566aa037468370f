#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "gateway/loop/asio_types.h"

namespace toolway::gateway::loop {

/// Tasks that run at the same time, for a coroutine that waits for all of them, or for those that
/// end in time. On the io_context's thread. A task that is given up still runs to its end and its
/// result is dropped, so it must hold what it uses.
class SideBySide {
 public:
  explicit SideBySide(Executor executor)
      : executor_(executor), under_way_(std::make_shared<UnderWay>(executor)) {}

  /// Its result, once it has ended; nothing while it runs, or when it threw.
  template <typename T>
  std::shared_ptr<std::optional<T>> start(Task<T> task) {
    auto result = std::make_shared<std::optional<T>>();
    ++under_way_->count;
    auto ended = [result, under_way = under_way_](std::exception_ptr error, T value) {
      if (!error) result->emplace(std::move(value));
      under_way->end_one();
    };
    asio::co_spawn(executor_, std::move(task), std::move(ended));
    return result;
  }
  void start(Task<void> task) {
    ++under_way_->count;
    auto ended = [under_way = under_way_](std::exception_ptr) { under_way->end_one(); };
    asio::co_spawn(executor_, std::move(task), std::move(ended));
  }

  /// Returns when all have ended, or at `deadline` if that comes first.
  Task<void> wait(std::chrono::steady_clock::time_point deadline = Timer::time_point::max()) {
    const auto under_way = under_way_;
    under_way->done.expires_at(deadline);
    while (under_way->count > 0 && std::chrono::steady_clock::now() < deadline) {
      co_await wait_on(under_way->done);
    }
  }

 private:
  struct UnderWay {
    explicit UnderWay(Executor executor) : done(executor) {}
    void end_one() {
      if (--count == 0) done.cancel();
    }
    std::size_t count = 0;
    Timer done;
  };
  Executor executor_;
  std::shared_ptr<UnderWay> under_way_;
};

}  // namespace toolway::gateway::loop
