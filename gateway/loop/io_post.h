#pragma once

#include <boost/intrusive/list.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "gateway/loop/asio_types.h"

namespace toolway::gateway::loop {

/// A coroutine that waits for what another thread posts; on shutdown it gets an error instead.
class Waiter : public boost::intrusive::list_base_hook<
                   boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  virtual ~Waiter() = default;
  virtual void cancel() = 0;
};

/// Brings what happens on other threads (the bus's, the store's) to the
/// io_context's thread: one hop for all that came since the last one, not one each. Much of it
/// is run a few milliseconds at a time, so that other due work gets its turn.
class IoPost : public std::enable_shared_from_this<IoPost> {
 public:
  /// Runs on the io_context's thread.
  using Work = std::function<void()>;

  explicit IoPost(asio::io_context& io) : io_(io) {}

  /// From any thread. After `close` it is dropped. For work that a request waits for: the number of
  /// requests bounds it.
  void post(Work work);
  /// The same for what comes unasked: false when work of too many bytes already waits. It is
  /// then dropped, and the sender has a gap to fill.
  [[nodiscard]] bool offer(Work work, std::size_t bytes);

  // The rest on the io_context's thread.

  /// Notes a waiter. False once `abandon` was called: nothing may wait any longer.
  bool expect(Waiter& waiter);
  /// Tells every waiter, current and future, that nothing will come.
  void abandon();
  void close();
  Executor executor() { return io_.get_executor(); }

 private:
  static constexpr std::size_t kMaxOffered = 50'000;
  static constexpr std::size_t kMaxOfferedBytes = 16 * 1024 * 1024;
  void put(Work work) REQUIRES(mutex_);
  void drain();

  asio::io_context& io_;
  Mutex mutex_;
  std::vector<Work> posted_ GUARDED_BY(mutex_);
  bool scheduled_ GUARDED_BY(mutex_) = false;
  bool closed_ GUARDED_BY(mutex_) = false;
  std::size_t offered_ GUARDED_BY(mutex_) = 0;
  std::size_t offered_bytes_ GUARDED_BY(mutex_) = 0;
  std::vector<Work> batch_;    // kept for its capacity
  std::size_t batch_run_ = 0;  // of them
  boost::intrusive::list<Waiter, boost::intrusive::constant_time_size<false>> waiters_;
  bool abandoned_ = false;
};

/// One answer on its way from a callback to the coroutine that waits for it.
template <typename T, typename Handler>
class AnswerWaiter final : public Waiter {
 public:
  explicit AnswerWaiter(Handler handler) : handler_(std::move(handler)) {}
  /// On the thread of the callback, before `deliver` is posted.
  void answer(Result<T> result) { result_.emplace(std::move(result)); }
  void deliver() {
    if (handler_) finish(std::move(*result_));
  }
  void cancel() override {
    if (handler_) finish(fail(ErrorCode::kShuttingDown, "this gateway is shutting down"));
  }

 private:
  void finish(Result<T> result) {
    if (is_linked()) unlink();
    auto handler = std::move(*handler_);
    handler_.reset();
    std::move(handler)(std::move(result));
  }
  std::optional<Handler> handler_;
  std::optional<Result<T>> result_;
};

/// Awaits a function that takes a callback. `start` gets a copyable callback for a
/// Result<T>, which may be called once, on any thread, also at once.
template <typename T, typename Start>
Task<Result<T>> await_callback(std::shared_ptr<IoPost> io_post, Start start) {
  auto initiation = [io_post = std::move(io_post), start = std::move(start)](auto handler) mutable {
    using Handler = decltype(handler);
    auto waiter = std::make_shared<AnswerWaiter<T, Handler>>(std::move(handler));
    if (!io_post->expect(*waiter)) {
      asio::post(io_post->executor(), [waiter] { waiter->cancel(); });
      return;
    }
    start([io_post, waiter](Result<T> result) {
      waiter->answer(std::move(result));
      io_post->post([waiter] { waiter->deliver(); });
    });
  };
  return asio::async_initiate<const asio::use_awaitable_t<Executor>, void(Result<T>)>(
      std::move(initiation), use_task);
}

}  // namespace toolway::gateway::loop
