#include "persistence/collector/pg_dialogue.h"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>

namespace toolway::persistence::collector {
namespace {

using Steady = std::chrono::steady_clock;

}  // namespace

PgDialogue::PgDialogue(pg_conn* connection, const postgres::PgPatience& patience)
    : connection_(connection),
      cutoff_(patience.cutoff),
      deadline_(patience.deadline(Steady::now())) {}

std::optional<MonotonicTime> PgDialogue::ends_at() const {
  const auto cut = cutoff_ ? cutoff_->at() : std::nullopt;
  if (!cut) return deadline_;
  return deadline_ ? std::min(*deadline_, *cut) : *cut;
}

PgWait PgDialogue::wait(short events) const {
  while (true) {
    const auto ends = ends_at();
    int timeout = -1;
    if (ends) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*ends - Steady::now());
      if (left.count() <= 0) return PgWait::kGaveUp;
      timeout = static_cast<int>(std::min<std::chrono::milliseconds::rep>(left.count(), 3'600'000));
    }
    // A time that is set while we wait wakes us; `ends` holds one that was set before.
    const bool may_be_cut = cutoff_ && !cutoff_->at();
    pollfd watched[] = {{.fd = PQsocket(connection_), .events = events, .revents = 0},
                        {.fd = may_be_cut ? cutoff_->fd() : -1, .events = POLLIN, .revents = 0}};
    if (watched[0].fd < 0) return PgWait::kBroken;
    const int ready = ::poll(watched, 2, timeout);
    if (ready < 0 && errno != EINTR) return PgWait::kBroken;
    if (ready > 0 && watched[0].revents != 0) return PgWait::kDone;
  }
}

PgWait PgDialogue::send() {
  while (true) {
    const int left = PQflush(connection_);
    if (left == 0) return PgWait::kDone;
    if (left < 0) return PgWait::kBroken;
    if (const auto waited = wait(POLLIN | POLLOUT); waited != PgWait::kDone) return waited;
    if (PQconsumeInput(connection_) == 0) return PgWait::kBroken;
  }
}

PgWait PgDialogue::receive() {
  while (PQisBusy(connection_) != 0) {
    if (const auto waited = wait(POLLIN); waited != PgWait::kDone) return waited;
    if (PQconsumeInput(connection_) == 0) return PgWait::kBroken;
  }
  return PgWait::kDone;
}

}  // namespace toolway::persistence::collector
