#include "gateway/loop/async_store.h"

#include <algorithm>

namespace toolway::gateway::loop {

std::optional<Error> give_up_read(MonotonicTime due, MonotonicTime begun,
                                  std::optional<MonotonicTime> heard_at, MonotonicTime now) {
  const auto silent_since = heard_at ? std::max(*heard_at, due) : due;
  if (now - silent_since >= AsyncStore::kMaxSilence)
    return Error{ErrorCode::kStoreUnavailable, "the database does not answer: ask again",
                 std::chrono::seconds(1)};
  if (now - begun >= AsyncStore::kMaxWait)
    return Error{ErrorCode::kStoreUnavailable, "the database did not answer in time: ask again",
                 std::chrono::seconds(1)};
  return std::nullopt;
}

Error AsyncStore::does_not_answer() {
  return {ErrorCode::kStoreUnavailable, "the database does not answer: ask again",
          std::chrono::seconds(1)};
}

void AsyncStore::forget_answered() {
  while (!reads_.empty() && reads_.front()->answered()) reads_.pop_front();
}

void AsyncStore::sweep() {
  const auto now = clock_.monotonic();
  const auto heard_at = watch_.heard_at();
  for (const auto& read : reads_) {
    if (read->answered()) continue;
    // One that waited for its turn may be due before those ahead of it.
    if (auto why = give_up_read(read->due(), read->begun(), heard_at, now))
      read->refuse(std::move(*why));
  }
  forget_answered();
}

}  // namespace toolway::gateway::loop
