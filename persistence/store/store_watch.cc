#include "persistence/store/store_watch.h"

#include "base/mutex.h"

namespace toolway::persistence::store {

StoreWatch::StoreWatch(StoreReader& store, const Clock& clock)
    : store_(store), clock_(clock), thread_([this] { run(); }) {}

StoreWatch::~StoreWatch() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
  }
  ending_changed_.notify_all();
  thread_.join();
}

Result<void> StoreWatch::ready() const {
  const MutexLock lock(mutex_);
  if (!last_ || silence_.length(clock_.monotonic()) >= kSilentAfter)
    return fail(ErrorCode::kStoreUnavailable, "Postgres does not answer");
  return *last_;
}

bool StoreWatch::silent() const {
  const MutexLock lock(mutex_);
  return silence_.length(clock_.monotonic()) >= kSilentAfter;
}

void StoreWatch::heard() {
  const MutexLock lock(mutex_);
  silence_.heard();
  heard_at_ = clock_.monotonic();
}

std::optional<MonotonicTime> StoreWatch::heard_at() const {
  const MutexLock lock(mutex_);
  return heard_at_;
}

void StoreWatch::run() {
  MutexLock lock(mutex_);
  while (!ending_) {
    silence_.asked(clock_.monotonic());
    lock.unlock();
    auto answer = store_.ping();
    const bool answered = answer || answer.error().code != ErrorCode::kStoreUnavailable;
    if (answered) heard();
    lock.lock();
    last_ = std::move(answer);
    ending_changed_.wait_for(lock, kPingInterval, [this]() REQUIRES(mutex_) { return ending_; });
  }
}

}  // namespace toolway::persistence::store
