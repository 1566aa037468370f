#pragma once

#include <deque>
#include <utility>

#include "gateway/loop/asio_types.h"

namespace toolway::gateway::loop {

/// Lets a limited number in at once; the others wait in order. On the io_context's thread; must
/// outlive everything inside.
class Turnstile {
 public:
  Turnstile(Executor executor, std::size_t places) : executor_(executor), places_(places) {}

  /// Held while inside.
  class Pass {
   public:
    explicit Pass(Turnstile& turnstile) : turnstile_(&turnstile) {}
    Pass(Pass&& other) noexcept : turnstile_(std::exchange(other.turnstile_, nullptr)) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (turnstile_ != nullptr) turnstile_->leave();
    }

   private:
    Turnstile* turnstile_;
  };

  Task<Pass> enter() {
    if (places_ > 0) {
      --places_;
    } else {
      Timer turn(executor_, Timer::time_point::max());
      waiting_.push_back(&turn);
      co_await wait_on(turn);  // the one that leaves hands over its place
    }
    co_return Pass(*this);
  }

 private:
  void leave() {
    if (waiting_.empty()) {
      ++places_;
      return;
    }
    waiting_.front()->cancel();
    waiting_.pop_front();
  }
  Executor executor_;
  std::size_t places_;
  std::deque<Timer*> waiting_;
};

}  // namespace toolway::gateway::loop
