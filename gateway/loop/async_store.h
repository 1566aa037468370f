#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "gateway/loop/io_post.h"
#include "persistence/store/store_reader.h"
#include "persistence/store/store_watch.h"

namespace toolway::gateway::loop {

/// A read of the store that a request waits for. Answered once: by the thread that reads, or by
/// the io_context's thread when it has waited too long.
class StoreRead {
 public:
  StoreRead(MonotonicTime begun, MonotonicTime due) : begun_(begun), due_(due) {}
  virtual ~StoreRead() = default;
  /// Answers with `error`, unless it is answered.
  virtual void refuse(Error error) = 0;
  bool answered() const { return answered_.load(std::memory_order_acquire); }
  MonotonicTime begun() const { return begun_; }
  /// When the request began to wait, including for its turn to read.
  MonotonicTime due() const { return due_; }

 protected:
  /// Whether the caller may give the answer.
  bool claim() { return !answered_.exchange(true, std::memory_order_acq_rel); }

 private:
  const MonotonicTime begun_;
  const MonotonicTime due_;
  std::atomic<bool> answered_{false};
};

/// Why a waiting read gets no answer; nothing: it keeps waiting. `due`: when its request began to
/// wait; `heard_at`: when the store last answered anything. Code: kStoreUnavailable.
std::optional<Error> give_up_read(MonotonicTime due, MonotonicTime begun,
                                  std::optional<MonotonicTime> heard_at, MonotonicTime now);

/// The store, awaitable: its blocking reads run on a small pool of threads. A store that says
/// nothing never keeps a request waiting longer than kMaxSilence. `run` and `sweep` on the
/// io_context's thread.
class AsyncStore {
 public:
  /// How long a read waits while nothing at all comes from the store.
  static constexpr std::chrono::seconds kMaxSilence{2};
  /// How long it waits for a store that answers others: more than the store's own limit.
  static constexpr std::chrono::seconds kMaxWait{6};

  AsyncStore(persistence::store::StoreReader& store, const Clock& clock,
             std::shared_ptr<IoPost> io_post, unsigned threads)
      : store_(store),
        clock_(clock),
        io_post_(std::move(io_post)),
        pool_(threads),
        watch_(store, clock) {}
  /// Waits for the reads in progress: tell the store to give up first, if it may be silent.
  ~AsyncStore() { pool_.join(); }

  /// Runs `read(store)`, which returns a Result<T>. Errors: as the store's; kStoreUnavailable also
  /// when it is silent for kMaxSilence, and at once while that lasts; kOverloaded when too many
  /// reads already wait. `due`: since when the request has waited for its turn, if it had to.
  template <typename T, typename Read>
  Task<Result<T>> run(Read read, std::optional<MonotonicTime> due = {}) {
    auto start = [this, read = std::move(read), due](auto callback) mutable {
      const auto now = clock_.monotonic();
      if (watch_.silent() || give_up_read(due.value_or(now), now, watch_.heard_at(), now)) {
        return callback(fail(does_not_answer()));
      }
      if (waiting_.fetch_add(1) >= kMaxWaiting) {
        waiting_.fetch_sub(1);
        callback(fail(ErrorCode::kOverloaded, "too many reads are waiting for the database"));
        return;
      }
      using Callback = decltype(callback);
      auto waiting = std::make_shared<Waiting<T, Read, Callback>>(
          now, due.value_or(now), std::move(read), std::move(callback));
      forget_answered();
      reads_.push_back(waiting);
      asio::post(pool_, [this, waiting = std::move(waiting)] {
        if (waiting->run(store_)) watch_.heard();
        waiting_.fetch_sub(1);
      });
    };
    return await_callback<T>(io_post_, std::move(start));
  }

  /// Answers the reads that have waited too long. Call it several times a second.
  void sweep();
  /// Whether the store answers, as known from the last second.
  Result<void> ready() const { return watch_.ready(); }

 private:
  static constexpr int kMaxWaiting = 2000;

  template <typename T, typename Read, typename Callback>
  class Waiting final : public StoreRead {
   public:
    Waiting(MonotonicTime begun, MonotonicTime due, Read read, Callback callback)
        : StoreRead(begun, due), read_(std::move(read)), callback_(std::move(callback)) {}

    /// On a thread of the pool. Whether the store has answered.
    bool run(persistence::store::StoreReader& store) {
      if (answered()) return false;  // its request has its answer
      auto result = read_(store);
      const bool heard = result || result.error().code != ErrorCode::kStoreUnavailable;
      if (claim()) answer(std::move(result));
      return heard;
    }
    void refuse(Error error) override {
      if (claim()) answer(fail(std::move(error)));
    }

   private:
    void answer(Result<T> result) {
      auto callback = std::move(callback_);
      callback(std::move(result));
    }
    Read read_;
    Callback callback_;
  };

  static Error does_not_answer();
  void forget_answered();

  persistence::store::StoreReader& store_;
  const Clock& clock_;
  std::shared_ptr<IoPost> io_post_;
  std::atomic<int> waiting_{0};
  std::deque<std::shared_ptr<StoreRead>>
      reads_;  ///< in the order in which they began; some are answered
  asio::thread_pool pool_;
  persistence::store::StoreWatch watch_;
};

}  // namespace toolway::gateway::loop
