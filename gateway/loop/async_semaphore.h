#pragma once

#include <deque>
#include <utility>

#include "gateway/loop/asio_types.h"

namespace toolway::gateway::loop {

/// Hands out a limited number of permits; those that ask for more wait in order. On the
/// io_context's thread; must outlive its permits.
class AsyncSemaphore {
 public:
  AsyncSemaphore(Executor executor, std::size_t permits) : executor_(executor), permits_(permits) {}

  /// One permit, held until this is destroyed.
  class Permit {
   public:
    explicit Permit(AsyncSemaphore& semaphore) : semaphore_(&semaphore) {}
    Permit(Permit&& other) noexcept : semaphore_(std::exchange(other.semaphore_, nullptr)) {}
    Permit& operator=(Permit&&) = delete;
    ~Permit() {
      if (semaphore_ != nullptr) semaphore_->release();
    }

   private:
    AsyncSemaphore* semaphore_;
  };

  Task<Permit> acquire() {
    if (permits_ > 0) {
      --permits_;
    } else {
      Timer turn(executor_, Timer::time_point::max());
      waiting_.push_back(&turn);
      co_await wait_on(turn);  // `release` hands over its permit
    }
    co_return Permit(*this);
  }

 private:
  void release() {
    if (waiting_.empty()) {
      ++permits_;
      return;
    }
    waiting_.front()->cancel();
    waiting_.pop_front();
  }
  Executor executor_;
  std::size_t permits_;
  std::deque<Timer*> waiting_;
};

}  // namespace toolway::gateway::loop
