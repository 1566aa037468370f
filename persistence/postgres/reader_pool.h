#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "persistence/postgres/pg_connection.h"

namespace toolway::persistence::postgres {

/// The reader's connections to Postgres: made when first needed, dropped when
/// broken. Thread-safe.
class ReaderPool {
 public:
  ReaderPool(std::string url, unsigned connections, std::chrono::milliseconds statement_timeout);
  ~ReaderPool();

  /// Runs one statement that only reads. A connection that turns out to be
  /// broken is replaced once, since Postgres may have been restarted since. For a Postgres that
  /// says nothing it waits half a second more than the statement time-out, after as much at most
  /// for a connection.
  /// Errors: kStoreUnavailable; kInternal when the statement itself is at fault. None quotes
  /// Postgres.
  Result<SqlRows> query(const std::string& sql, const std::vector<SqlParameter>& parameters = {},
                        Planning planning = Planning::kEachTime);
  /// Every query fails from now on, those in progress at once.
  void give_up();

 private:
  Result<std::optional<PgConnection>> take();
  void give_back(std::optional<PgConnection> connection);
  void drop_idle();

  const std::string url_;
  const PgPatience patience_;
  const std::shared_ptr<WaitLimit> limit_ = std::make_shared<WaitLimit>();
  Mutex mutex_;
  CondVar returned_;
  std::vector<PgConnection> idle_ GUARDED_BY(mutex_);
  unsigned free_slots_ GUARDED_BY(mutex_);
};

}  // namespace toolway::persistence::postgres
