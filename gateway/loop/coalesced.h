#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/result.h"
#include "gateway/loop/asio_types.h"

namespace toolway::gateway::loop {

/// A question that many ask at once, such as ten thousand followers that reconnect. It is sent
/// once for all that asked before it was sent, so that each gets an answer that is newer
/// than its asking. On the io_context's thread; must outlive its coroutines.
template <typename T>
class Coalesced {
 public:
  Coalesced(Executor executor, std::function<Task<Result<T>>()> put)
      : executor_(executor), put_(std::move(put)) {}

  Task<Result<T>> ask() {
    if (!next_) next_ = std::make_shared<Round>(executor_);
    const auto round = next_;
    if (!putting_) {
      putting_ = true;
      asio::co_spawn(executor_, put_all(), asio::detached);
    }
    while (!round->answer) co_await wait_on(round->answered);
    co_return *round->answer;
  }

 private:
  struct Round {
    explicit Round(Executor executor) : answered(executor, Timer::time_point::max()) {}
    Timer answered;
    std::optional<Result<T>> answer;
  };

  Task<void> put_all() {
    while (next_) {
      const auto round = std::exchange(next_, nullptr);
      round->answer = co_await put_();
      round->answered.cancel();
    }
    putting_ = false;
  }

  Executor executor_;
  std::function<Task<Result<T>>()> put_;
  std::shared_ptr<Round> next_;
  bool putting_ = false;
};

}  // namespace toolway::gateway::loop
