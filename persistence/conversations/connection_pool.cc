#include "persistence/conversations/connection_pool.h"

#include <utility>

#include "base/long_wait.h"
#include "base/try.h"

namespace toolway::persistence::conversations {
namespace {

using postgres::PgConnection;

constexpr std::chrono::seconds kStatementTimeout{10};

}  // namespace

Result<postgres::SqlRows> ConnectionPool::ask(
    const std::string& sql, const std::vector<postgres::SqlParameter>& parameters) {
  ASSIGN_OR_RETURN(auto connection, take());
  auto rows = connection->execute(sql, parameters, postgres::Planning::kOnce);
  give_back(std::move(connection));
  if (!rows) return fail(postgres::error_of(rows.error(), "keeping a conversation"));
  return std::move(*rows);
}

Result<std::unique_ptr<PgConnection>> ConnectionPool::open_another() {
  auto opened = PgConnection::open(url_, postgres::patience_of_a_reader(kStatementTimeout, nullptr),
                                   postgres::PgAccess::kReadWrite, limit_);
  if (!opened) return fail(postgres::error_of(opened.error(), "connecting to Postgres"));
  auto connection = std::make_unique<PgConnection>(std::move(*opened));
  // A plan remains while a table grows, and of a small one Postgres would read all.
  if (const auto set = connection->execute("SET enable_seqscan = off"); !set)
    return fail(postgres::error_of(set.error(), "connecting to Postgres"));
  return connection;
}

Result<std::unique_ptr<PgConnection>> ConnectionPool::take() {
  {
    MutexLock lock(mutex_);
    if (!wait_for_one(lock))
      return fail(ErrorCode::kStoreUnavailable, "Postgres is too slow: no connection became free");
    ++in_use_;
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  auto opened = open_another();
  if (!opened) give_back(nullptr);
  return opened;
}

bool ConnectionPool::wait_for_one(MutexLock& lock) {
  const auto free = [this]() REQUIRES(mutex_) { return in_use_ < kMaxConnections; };
  if (returned_.wait_for(lock, LongWait::kBegins, free)) return true;
  const LongWait lean;
  return returned_.wait_for(lock, kStatementTimeout, free);
}

void ConnectionPool::give_back(std::unique_ptr<PgConnection> connection) {
  {
    const MutexLock lock(mutex_);
    --in_use_;
    if (connection && !connection->broken()) idle_.push_back(std::move(connection));
  }
  returned_.notify_one();
}

}  // namespace toolway::persistence::conversations
