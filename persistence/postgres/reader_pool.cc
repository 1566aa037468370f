#include "persistence/postgres/reader_pool.h"

namespace toolway::persistence {

ReaderPool::ReaderPool(std::string url, unsigned connections,
                       std::chrono::milliseconds statement_timeout)
    : url_(std::move(url)),
      statement_timeout_(statement_timeout),
      free_slots_(connections == 0 ? 1 : connections) {}

ReaderPool::~ReaderPool() = default;

Result<std::unique_ptr<QueryConnection>> ReaderPool::take() {
  std::unique_lock lock(mutex_);
  const auto available = [&] { return !idle_.empty() || free_slots_ > 0; };
  const auto settled = [&] { return available() || cutoff_->at(); };
  if (!returned_.wait_for(lock, statement_timeout_, settled) || cutoff_->at()) {
    return fail(ErrorCode::kStoreUnavailable, "all connections to Postgres are busy");
  }
  if (!idle_.empty()) {
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    return connection;
  }
  --free_slots_;
  return std::unique_ptr<QueryConnection>();
}

void ReaderPool::give_up() {
  {
    const std::lock_guard lock(mutex_);
    cutoff_->set(std::chrono::steady_clock::now());
  }
  returned_.notify_all();
}

/// Null gives back the permit to make one.
void ReaderPool::give_back(std::unique_ptr<QueryConnection> connection) {
  {
    std::lock_guard lock(mutex_);
    if (connection) {
      idle_.push_back(std::move(connection));
    } else {
      ++free_slots_;
    }
  }
  returned_.notify_one();
}

void ReaderPool::drop_idle() {
  std::vector<std::unique_ptr<QueryConnection>> dropped;
  {
    std::lock_guard lock(mutex_);
    dropped.swap(idle_);
    free_slots_ += static_cast<unsigned>(dropped.size());
  }
  returned_.notify_all();
}

Result<Rows> ReaderPool::query(const std::string& sql,
                               const std::vector<std::string>& parameters) {
  auto taken = take();
  if (!taken) return fail(taken.error());
  auto connection = std::move(*taken);
  const bool was_idle = connection != nullptr;
  for (bool retried = false;; retried = true) {
    if (!connection) connection = open_query_connection(url_, statement_timeout_, limit_, cutoff_);
    if (!connection) {
      give_back(nullptr);
      return fail(ErrorCode::kStoreUnavailable, "Postgres cannot be reached");
    }
    Rows rows;
    auto failed = connection->query(sql, parameters, rows);
    if (!failed) {
      give_back(std::move(connection));
      return rows;
    }
    const bool lost = failed->failure == QueryFailure::kBroken || failed->failure == QueryFailure::kSilent;
    if (!lost) {
      give_back(std::move(connection));
      return fail(failed->failure == QueryFailure::kRefused ? ErrorCode::kStoreUnavailable
                                                            : ErrorCode::kInternal,
                  failed->message);
    }
    connection.reset();
    // The others were made before the same restart.
    drop_idle();
    // A caller that has waited in vain once need not do so twice.
    if (retried || !was_idle || failed->failure == QueryFailure::kSilent) {
      give_back(nullptr);
      return fail(ErrorCode::kStoreUnavailable, failed->message);
    }
  }
}

}  // namespace toolway::persistence
