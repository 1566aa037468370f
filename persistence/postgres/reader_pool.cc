#include "persistence/postgres/reader_pool.h"

#include "base/mutex.h"
#include "base/try.h"

namespace toolway::persistence::postgres {

ReaderPool::ReaderPool(std::string url, unsigned connections,
                       std::chrono::milliseconds statement_timeout)
    : url_(std::move(url)),
      patience_(patience_of_a_reader(statement_timeout, std::make_shared<PgCutoff>())),
      free_slots_(connections == 0 ? 1 : connections) {}

ReaderPool::~ReaderPool() = default;

Result<std::optional<PgConnection>> ReaderPool::take() {
  MutexLock lock(mutex_);
  const auto available = [&]() REQUIRES(mutex_) { return !idle_.empty() || free_slots_ > 0; };
  const auto settled = [&]() REQUIRES(mutex_) { return available() || patience_.cutoff->at(); };
  if (!returned_.wait_for(lock, patience_.statement, settled) || patience_.cutoff->at()) {
    return fail(ErrorCode::kStoreUnavailable, "all connections to Postgres are busy");
  }
  if (!idle_.empty()) {
    std::optional<PgConnection> connection = std::move(idle_.back());
    idle_.pop_back();
    return connection;
  }
  --free_slots_;
  return std::optional<PgConnection>();
}

void ReaderPool::give_up() {
  {
    const MutexLock lock(mutex_);
    patience_.cutoff->end();
  }
  returned_.notify_all();
}

/// Nothing gives back the permit to make one.
void ReaderPool::give_back(std::optional<PgConnection> connection) {
  {
    MutexLock lock(mutex_);
    if (connection) {
      idle_.push_back(*std::move(connection));
    } else {
      ++free_slots_;
    }
  }
  returned_.notify_one();
}

void ReaderPool::drop_idle() {
  std::vector<PgConnection> dropped;
  {
    MutexLock lock(mutex_);
    dropped.swap(idle_);
    free_slots_ += static_cast<unsigned>(dropped.size());
  }
  returned_.notify_all();
}

Result<SqlRows> ReaderPool::query(const std::string& sql,
                                  const std::vector<SqlParameter>& parameters, Planning planning) {
  ASSIGN_OR_RETURN(auto taken, take());
  auto connection = std::move(taken);
  const bool was_idle = connection.has_value();
  for (bool retried = false;; retried = true) {
    if (!connection) {
      auto opened = PgConnection::open(url_, patience_, PgAccess::kReadOnly, limit_);
      if (!opened) {
        give_back(std::nullopt);
        return fail(ErrorCode::kStoreUnavailable, "Postgres cannot be reached");
      }
      connection = std::move(*opened);
    }
    auto rows = connection->execute(sql, parameters, planning);
    if (rows || !connection->broken()) {
      give_back(std::move(connection));
      if (rows) return *std::move(rows);
      return fail(code_of(rows.error().failure), message_without_values(rows.error()));
    }
    connection.reset();
    // The others were made before the same restart.
    drop_idle();
    // A caller that has waited in vain once need not do so twice.
    if (retried || !was_idle || rows.error().gave_up) {
      give_back(std::nullopt);
      return fail(ErrorCode::kStoreUnavailable, rows.error().message);
    }
  }
}

}  // namespace toolway::persistence::postgres
