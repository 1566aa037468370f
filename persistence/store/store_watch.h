#pragma once

#include <optional>
#include <thread>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/silence.h"
#include "persistence/store/store_reader.h"

namespace toolway::persistence::store {

/// Pings the store every second on a thread of its own, so that whether it answers is known
/// without asking. Thread-safe; the store must outlive it.
class StoreWatch {
 public:
  static constexpr std::chrono::seconds kPingInterval{1};
  /// A store that has left questions unanswered for this long counts as not answering.
  static constexpr std::chrono::seconds kSilentAfter{2};

  StoreWatch(StoreReader& store, const Clock& clock);
  /// Waits for the ping in progress.
  ~StoreWatch();

  /// What the last ping said. Errors: as of `StoreReader::ping`; kStoreUnavailable also while
  /// a ping has waited for kSilentAfter, and before the first one has ended.
  Result<void> ready() const;
  /// Whether questions have been left unanswered for kSilentAfter.
  bool silent() const;
  /// Something was answered just now.
  void heard();
  /// The last time something was answered; nothing: never.
  std::optional<MonotonicTime> heard_at() const;

 private:
  void run();

  StoreReader& store_;
  const Clock& clock_;
  mutable Mutex mutex_;
  CondVar ending_changed_;
  Silence silence_ GUARDED_BY(mutex_);
  std::optional<MonotonicTime> heard_at_ GUARDED_BY(mutex_);
  std::optional<Result<void>> last_ GUARDED_BY(mutex_);
  bool ending_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace toolway::persistence::store
