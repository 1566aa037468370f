#pragma once

#include <optional>
#include <stdexcept>

#include "gateway/loop/async_bus.h"
#include "tests/support/awaiting.h"

namespace toolway::gateway {

/// A loop, and a bus that can be awaited there: with it most coroutines of a gateway can run.
class BusLoop {
 public:
  /// `bus` must outlive it.
  explicit BusLoop(bus::Bus& bus) : bus_(bus, io_post_) {}
  ~BusLoop() { io_post_->close(); }

  loop::AsyncBus& bus() { return bus_; }
  asio::io_context& io() { return io_; }
  const std::shared_ptr<loop::IoPost>& io_post() const { return io_post_; }

  /// What comes of a task.
  template <typename T>
  T run(loop::Task<T> task) {
    std::optional<T> result;
    auto ended = [&result](std::exception_ptr, T value) { result.emplace(std::move(value)); };
    asio::co_spawn(io_, std::move(task), std::move(ended));
    run_until([&result] { return result.has_value(); });
    return std::move(*result);
  }
  void run(loop::Task<void> task) {
    bool done = false;
    asio::co_spawn(io_, std::move(task), [&done](std::exception_ptr) { done = true; });
    run_until([&done] { return done; });
  }
  /// Throws when it does not become so.
  template <typename Condition>
  void run_until(Condition is_so) {
    while (!is_so()) {
      if (io_.run_one_for(test::kPatience) == 0) throw std::runtime_error("nothing happens");
    }
  }

 private:
  asio::io_context io_{1};
  asio::executor_work_guard<loop::Executor> alive_{io_.get_executor()};
  std::shared_ptr<loop::IoPost> io_post_ = std::make_shared<loop::IoPost>(io_);
  loop::AsyncBus bus_;
};

}  // namespace toolway::gateway
