#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "persistence/postgres/pg_connection.h"

namespace toolway::persistence::reaper {

/// What collectors elect one of.
enum class Office { kReaper, kSealer };

/// The one connection to Postgres of a reaper or sealer. It also elects them: the one that holds
/// the lock of its session acts, and loses it with the connection. One thread. Errors of all:
/// kStoreUnavailable.
class ElectedConnection {
 public:
  explicit ElectedConnection(std::string url, postgres::PgPatience patience = {},
                             Office office = Office::kReaper)
      : url_(std::move(url)), patience_(std::move(patience)), office_(office) {}

  /// Whether this is the connection that holds the lock. Connects when there is none. Its
  /// statements are looks into indexes.
  Result<bool> elected();
  /// Gives the lock up.
  void resign();

  /// A failure costs the election.
  Result<postgres::SqlRows> ask(const std::string& sql,
                                const std::vector<postgres::SqlParameter>& parameters = {},
                                postgres::Planning planning = postgres::Planning::kEachTime);
  /// For information only: a failure costs the election only if the connection is lost.
  Result<postgres::SqlRows> look(const std::string& sql,
                                 const std::vector<postgres::SqlParameter>& parameters = {},
                                 postgres::Planning planning = postgres::Planning::kEachTime);

 private:
  const std::string url_;
  const postgres::PgPatience patience_;
  const Office office_;
  std::optional<postgres::PgConnection> connection_;
  bool elected_ = false;
};

}  // namespace toolway::persistence::reaper
