#pragma once

#include <boost/intrusive/list.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "gateway/loop/asio_types.h"

namespace toolway::gateway::loop {

/// Something that another thread hands to the io_context's thread.
class Letter {
 public:
  virtual ~Letter() = default;
  /// On the io_context's thread.
  virtual void open() = 0;
};

/// A coroutine that waits for a letter; on shutdown it gets an error instead.
class Expectant : public boost::intrusive::list_base_hook<
                      boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  virtual ~Expectant() = default;
  virtual void give_up() = 0;
};

/// Brings what happens on other threads (the bus's, the store's) to the
/// io_context's thread: one hop for all that came since the last one, not one each. Many letters
/// are opened a few milliseconds at a time, so that other due work gets its turn.
class LoopInbox : public std::enable_shared_from_this<LoopInbox> {
 public:
  explicit LoopInbox(asio::io_context& io) : io_(io) {}

  /// From any thread. After `close` letters are dropped. For letters that a request waits for:
  /// the number of requests bounds them.
  void post(std::shared_ptr<Letter> letter);
  /// The same for what comes unasked: false when letters of too many bytes already wait. It is
  /// then dropped, and the sender has a gap to fill.
  [[nodiscard]] bool offer(std::shared_ptr<Letter> letter, std::size_t bytes);

  // The rest on the io_context's thread.

  /// Notes a waiter. False once `abandon` was called: nothing may wait any longer.
  bool expect(Expectant& expectant);
  /// Tells every waiter, current and future, that nothing will come.
  void abandon();
  void close();
  Executor executor() { return io_.get_executor(); }

 private:
  static constexpr std::size_t kMostOffered = 50'000;
  static constexpr std::size_t kMostOfferedBytes = 16 * 1024 * 1024;
  void put(std::shared_ptr<Letter> letter) REQUIRES(mutex_);
  void drain();

  asio::io_context& io_;
  Mutex mutex_;
  std::vector<std::shared_ptr<Letter>> letters_ GUARDED_BY(mutex_);
  bool scheduled_ GUARDED_BY(mutex_) = false;
  bool closed_ GUARDED_BY(mutex_) = false;
  std::size_t offered_ GUARDED_BY(mutex_) = 0;
  std::size_t offered_bytes_ GUARDED_BY(mutex_) = 0;
  std::vector<std::shared_ptr<Letter>> opening_;  // kept for its capacity
  std::size_t opened_ = 0;                        // of them
  boost::intrusive::list<Expectant, boost::intrusive::constant_time_size<false>> expectants_;
  bool abandoned_ = false;
};

/// One answer on its way from a callback to the coroutine that waits for it.
template <typename T, typename Handler>
class Waiter final : public Letter, public Expectant {
 public:
  explicit Waiter(Handler handler) : handler_(std::move(handler)) {}
  /// On the thread of the callback, before the letter is posted.
  void answer(Result<T> result) { result_.emplace(std::move(result)); }
  void open() override {
    if (handler_) finish(std::move(*result_));
  }
  void give_up() override {
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
Task<Result<T>> await_callback(std::shared_ptr<LoopInbox> inbox, Start start) {
  auto initiation = [inbox = std::move(inbox), start = std::move(start)](auto handler) mutable {
    using Handler = decltype(handler);
    auto waiter = std::make_shared<Waiter<T, Handler>>(std::move(handler));
    if (!inbox->expect(*waiter)) {
      asio::post(inbox->executor(), [waiter] { waiter->give_up(); });
      return;
    }
    start([inbox, waiter](Result<T> result) {
      waiter->answer(std::move(result));
      inbox->post(waiter);
    });
  };
  return asio::async_initiate<const asio::use_awaitable_t<Executor>, void(Result<T>)>(
      std::move(initiation), use_task);
}

}  // namespace toolway::gateway::loop
