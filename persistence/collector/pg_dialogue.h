#pragma once

#include <memory>
#include <optional>

#include "base/clock.h"
#include "persistence/postgres/pg_patience.h"

struct pg_conn;

namespace toolway::persistence::collector {

/// How waiting for Postgres ended.
enum class PgWait {
  kDone,
  kBroken,  ///< the connection is lost
  kGaveUp,  ///< nothing came in time
};

/// One exchange with Postgres over a connection in libpq's non-blocking mode, with a deadline of
/// its own. One thread.
class PgDialogue {
 public:
  PgDialogue(pg_conn* connection, const postgres::PgPatience& patience);

  /// Returns once all that libpq holds for the server is handed to the system. Reads what
  /// comes, too, so that neither side waits for the other.
  PgWait send();
  /// Returns when the next PQgetResult does not wait.
  PgWait receive();

 private:
  PgWait wait(short events) const;
  std::optional<MonotonicTime> ends_at() const;

  pg_conn* const connection_;
  const std::shared_ptr<postgres::PgCutoff> cutoff_;
  const std::optional<MonotonicTime> deadline_;
};

}  // namespace toolway::persistence::collector
