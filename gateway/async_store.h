#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "gateway/loop_inbox.h"
#include "persistence/store_reader.h"

namespace toolway::gateway {

/// The store, awaitable: its blocking reads run on a small pool of threads.
class AsyncStore {
 public:
  AsyncStore(persistence::StoreReader& store, std::shared_ptr<LoopInbox> inbox, unsigned threads)
      : store_(store), inbox_(std::move(inbox)), pool_(threads) {}
  ~AsyncStore() { pool_.join(); }

  /// Runs `read(store)`, which returns a Result<T>. Errors: as the store's, and
  /// kOverloaded when too many reads wait already.
  template <typename T, typename Read>
  Task<Result<T>> run(Read read) {
    auto start = [this, read = std::move(read)](auto callback) mutable {
      if (waiting_.fetch_add(1) >= kMostWaiting) {
        waiting_.fetch_sub(1);
        callback(fail(ErrorCode::kOverloaded, "too many reads wait for the database"));
        return;
      }
      asio::post(pool_, [this, read = std::move(read), callback = std::move(callback)]() mutable {
        auto result = read(store_);
        waiting_.fetch_sub(1);
        callback(std::move(result));
      });
    };
    return await_callback<T>(inbox_, std::move(start));
  }

 private:
  static constexpr int kMostWaiting = 2000;
  persistence::StoreReader& store_;
  std::shared_ptr<LoopInbox> inbox_;
  std::atomic<int> waiting_{0};
  asio::thread_pool pool_;
};

}  // namespace toolway::gateway
