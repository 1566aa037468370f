#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "persistence/postgres/pg_connection.h"

namespace toolway::persistence::conversations {

/// The connections of a chat process to Postgres: opened when they are first needed, and never more
/// than a few, however many turns ask at the same time. A statement takes about a millisecond, a
/// new connection several, and Postgres has a limit of them for all. Thread-safe.
class ConnectionPool {
 public:
  static constexpr std::size_t kMaxConnections = 16;

  /// `url` is never logged.
  explicit ConnectionPool(std::string url) : url_(std::move(url)) {}

  /// A statement, one of a few, in a transaction of its own. Waits for a connection while all are
  /// in use. Errors: kStoreUnavailable, also when none becomes free within the time that a
  /// statement has.
  Result<postgres::SqlRows> ask(const std::string& sql,
                                const std::vector<postgres::SqlParameter>& parameters = {});
  /// One that is not part of the pool, for what belongs to a connection.
  Result<std::unique_ptr<postgres::PgConnection>> open_another();

 private:
  Result<std::unique_ptr<postgres::PgConnection>> take();
  bool wait_for_one(MutexLock& lock) REQUIRES(mutex_);
  void give_back(std::unique_ptr<postgres::PgConnection> connection);

  const std::string url_;
  const std::shared_ptr<postgres::WaitLimit> limit_ = std::make_shared<postgres::WaitLimit>();
  Mutex mutex_;
  CondVar returned_;
  std::vector<std::unique_ptr<postgres::PgConnection>> idle_ GUARDED_BY(mutex_);
  std::size_t in_use_ GUARDED_BY(mutex_) = 0;
};

}  // namespace toolway::persistence::conversations
