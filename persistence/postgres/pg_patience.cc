#include "persistence/postgres/pg_patience.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/mutex.h"

namespace toolway::persistence {

PgCutoff::PgCutoff() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

PgCutoff::~PgCutoff() {
  if (fd_ >= 0) close(fd_);
}

void PgCutoff::set(MonotonicTime at) {
  {
    const MutexLock lock(mutex_);
    at_ = at_ ? std::min(*at_, at) : at;
  }
  const std::uint64_t one = 1;
  // Full only when it is readable anyway.
  if (write(fd_, &one, sizeof one) < 0) return;
}

std::optional<MonotonicTime> PgCutoff::at() const {
  const MutexLock lock(mutex_);
  return at_;
}

std::optional<MonotonicTime> PgPatience::deadline(MonotonicTime now) const {
  if (statement.count() <= 0) return std::nullopt;
  return now + statement + grace;
}

}  // namespace toolway::persistence
