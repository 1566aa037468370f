#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "gateway/loop/io_post.h"

namespace toolway::gateway::loop {

/// Work that takes more than a few milliseconds, such as checking or writing large documents,
/// done on other threads while the io_context's keeps going.
class WorkPool {
 public:
  /// Larger texts are parsed, checked and written here.
  static constexpr std::size_t kSmall = 32 * 1024;

  /// Whether work may be refused when too much already waits: the answer to what was done may not.
  enum class WhenFull { kRefused, kWaits };

  /// `max_wait`: work that may be refused does not begin later than that.
  WorkPool(std::shared_ptr<IoPost> io_post, const Clock& clock, unsigned threads,
           std::chrono::milliseconds max_wait = std::chrono::seconds(5))
      : io_post_(std::move(io_post)), clock_(clock), max_wait_(max_wait), pool_(threads) {}
  ~WorkPool() { pool_.join(); }

  /// Runs `work()`, which returns a Result<T> and holds all that it uses; what it holds is
  /// destroyed on the thread that ran it. Errors: its own, and kOverloaded when too much already
  /// waits, or waited for too long.
  template <typename T, typename Work>
  Task<Result<T>> run(Work work, WhenFull when_full = WhenFull::kRefused) {
    auto start = [this, work = std::move(work), when_full](auto callback) mutable {
      if (waiting_.fetch_add(1) >= kMaxWaiting && when_full == WhenFull::kRefused) {
        waiting_.fetch_sub(1);
        callback(fail(ErrorCode::kOverloaded, "too many large documents are waiting for a thread"));
        return;
      }
      const MonotonicTime due = clock_.monotonic() + max_wait_;
      asio::post(pool_, [this, work = std::move(work), callback = std::move(callback), when_full,
                         due]() mutable {
        const bool late = when_full == WhenFull::kRefused && clock_.monotonic() > due;
        Result<T> result = late ? fail(ErrorCode::kOverloaded,
                                       "large documents of other requests kept the threads busy")
                                : work();
        waiting_.fetch_sub(1);
        callback(std::move(result));
      });
    };
    return await_callback<T>(io_post_, std::move(start));
  }

  /// Destroys `what` there: freeing a hundred thousand strings takes milliseconds, too.
  template <typename T>
  void discard(T what) {
    asio::post(pool_, [what = std::move(what)]() mutable {
      [[maybe_unused]] const T gone = std::move(what);
    });
  }

 private:
  static constexpr int kMaxWaiting = 256;
  std::shared_ptr<IoPost> io_post_;
  const Clock& clock_;
  const std::chrono::milliseconds max_wait_;
  std::atomic<int> waiting_{0};
  asio::thread_pool pool_;
};

}  // namespace toolway::gateway::loop
