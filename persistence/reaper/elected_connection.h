#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "persistence/postgres/pg_connection.h"

namespace toolway::persistence {

/// The reaper's one connection to Postgres. It also elects the reaper: the one that holds
/// the lock of its session acts, and loses it with the connection. One thread. Errors of all:
/// kStoreUnavailable.
class ElectedConnection {
 public:
  explicit ElectedConnection(std::string url, PgPatience patience = {})
      : url_(std::move(url)), patience_(std::move(patience)) {}

  /// Whether this is the connection that holds the lock. Connects when there is none.
  Result<bool> elected();
  /// Gives the lock up.
  void resign();

  /// A failure costs the election.
  Result<SqlRows> ask(const std::string& sql, const std::vector<SqlParameter>& parameters = {});
  /// For information only: a failure costs the election only if the connection is lost.
  Result<SqlRows> look(const std::string& sql, const std::vector<SqlParameter>& parameters = {});

 private:
  const std::string url_;
  const PgPatience patience_;
  std::optional<PgConnection> connection_;
  bool elected_ = false;
};

}  // namespace toolway::persistence
