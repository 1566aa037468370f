#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "base/result.h"
#include "gateway/loop/asio_types.h"

namespace toolway::gateway::loop {

/// Something immutable that takes a while to make, made once for all that ask for it. On the
/// io_context's thread; must outlive its coroutines.
template <typename T>
class MadeOnce {
 public:
  using Ptr = std::shared_ptr<const T>;

  /// What was made, or what `make()`, a Task<Result<Ptr>>, makes now. Those that ask while it is
  /// being made wait for it. Errors: of `make`, for all that waited; the next one that asks makes
  /// it again.
  template <typename Make>
  Task<Result<Ptr>> get(Executor executor, Make make) {
    if (made_) co_return made_;
    if (const auto round = making_) {
      while (!round->answer) co_await wait_on(round->answered);
      co_return *round->answer;
    }
    const auto round = making_ = std::make_shared<Round>(executor);
    auto made = co_await make();
    making_.reset();
    if (made) made_ = *made;
    round->answer = made;
    round->answered.cancel();
    co_return made;
  }

 private:
  struct Round {
    explicit Round(Executor executor) : answered(executor, Timer::time_point::max()) {}
    Timer answered;
    std::optional<Result<Ptr>> answer;
  };
  Ptr made_;
  std::shared_ptr<Round> making_;
};

}  // namespace toolway::gateway::loop
