#pragma once

#include <boost/intrusive/list.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "base/mutex.h"
#include "base/result.h"
#include "gateway/loop/asio_types.h"

namespace toolway::gateway::loop {

/// A coroutine that waits for a callback; on shutdown it gets an error instead.
class Waiter : public boost::intrusive::list_base_hook<
                   boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  virtual ~Waiter() = default;
  virtual void cancel() = 0;
};

/// Brings what happens on other threads (the store's, the documents') to the io_context's thread.
/// The bus calls back on that thread already (`BusTurns`): for it there is no way to go.
class IoPost {
 public:
  /// Runs on the io_context's thread.
  using Work = std::function<void()>;

  explicit IoPost(asio::io_context& io) : io_(io) {}

  /// From any thread. After `close` it is dropped.
  void post(Work work);
  /// At once on the io_context's thread; elsewhere as `post`.
  template <typename Here>
  void run(Here work) {
    if (here()) {
      work();
    } else {
      post(std::move(work));
    }
  }
  /// Whether this is the io_context's thread. False after `close`: what calls back then, from the
  /// bus or the store, must not look at an io_context that may be gone.
  bool here() const;

  // The rest on the io_context's thread.

  /// Notes a waiter. False once `abandon` was called: nothing may wait any longer.
  bool expect(Waiter& waiter);
  /// Tells every waiter, current and future, that nothing will come.
  void abandon();
  void close();
  Executor executor() { return io_.get_executor(); }

 private:
  asio::io_context& io_;
  mutable Mutex mutex_;
  bool closed_ GUARDED_BY(mutex_) = false;
  boost::intrusive::list<Waiter, boost::intrusive::constant_time_size<false>> waiters_;
  bool abandoned_ = false;
};

/// One answer on its way from a callback to the coroutine that waits for it.
template <typename T, typename Handler>
class AnswerWaiter final : public Waiter {
 public:
  explicit AnswerWaiter(Handler handler) : handler_(std::move(handler)) {}
  /// On the io_context's thread, once the function that was started has returned.
  void answer(Result<T> result) {
    if (handler_) finish(std::move(result));
  }
  void cancel() override {
    answer(fail(ErrorCode::kShuttingDown, "this gateway is shutting down"));
  }
  /// Its function has been called and not returned: a coroutine that is just beginning to wait
  /// cannot go on.
  bool starting = true;

 private:
  void finish(Result<T> result) {
    if (is_linked()) unlink();
    auto handler = std::move(*handler_);
    handler_.reset();
    std::move(handler)(std::move(result));
  }
  std::optional<Handler> handler_;
};

/// Awaits a function that takes a callback. `start` gets a copyable callback for a
/// Result<T>, which may be called once, on any thread, also at once. Called on the io_context's
/// thread, it continues the coroutine before it returns.
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
      if (io_post->here() && !waiter->starting) return waiter->answer(std::move(result));
      // Shared: a std::function must be copyable.
      auto kept = std::make_shared<Result<T>>(std::move(result));
      io_post->post([waiter, kept] { waiter->answer(std::move(*kept)); });
    });
    waiter->starting = false;
  };
  return asio::async_initiate<const asio::use_awaitable_t<Executor>, void(Result<T>)>(
      std::move(initiation), use_task);
}

}  // namespace toolway::gateway::loop
