#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "persistence/pqxx_query.h"

namespace toolway::persistence {

/// The reader's connections to Postgres: made when first needed, dropped when
/// broken. Thread-safe.
class ReaderPool {
 public:
  ReaderPool(std::string url, unsigned connections, std::chrono::milliseconds statement_timeout);
  ~ReaderPool();

  /// Runs one statement that only reads. A connection that turns out to be
  /// broken is replaced once, since Postgres may have been restarted since.
  /// Errors: kStoreUnavailable; kInternal when the statement itself is at fault.
  Result<Rows> query(const std::string& sql, const std::vector<std::string>& parameters);

 private:
  Result<std::unique_ptr<QueryConnection>> take();
  void give_back(std::unique_ptr<QueryConnection> connection);
  void drop_idle();

  const std::string url_;
  const std::chrono::milliseconds statement_timeout_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<QueryConnection>> idle_;
  unsigned free_slots_;
};

}  // namespace toolway::persistence
