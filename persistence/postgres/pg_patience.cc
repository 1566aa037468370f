#include "persistence/postgres/pg_patience.h"

#include <algorithm>

#include "base/mutex.h"

namespace toolway::persistence::postgres {

void PgCutoff::set(MonotonicTime at) {
  {
    const MutexLock lock(mutex_);
    at_ = at_ ? std::min(*at_, at) : at;
  }
  is_set_.call();
}

std::optional<MonotonicTime> PgCutoff::at() const {
  const MutexLock lock(mutex_);
  return at_;
}

std::optional<MonotonicTime> PgPatience::deadline(MonotonicTime now) const {
  if (statement.count() <= 0) return std::nullopt;
  return now + statement + grace;
}

}  // namespace toolway::persistence::postgres
