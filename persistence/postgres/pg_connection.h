#pragma once

#include <memory>
#include <string>
#include <vector>

#include "persistence/postgres/pg_error.h"
#include "persistence/postgres/pg_patience.h"
#include "persistence/postgres/sql_parameter.h"
#include "persistence/postgres/sql_row.h"
#include "persistence/postgres/wait_limit.h"

namespace toolway::persistence::postgres {

/// What the statements of a connection may do.
enum class PgAccess { kReadWrite, kReadOnly };

/// When Postgres reads and plans a statement with parameters.
enum class Planning {
  kEachTime,  ///< for these parameters
  /// Once for the connection, for all parameters: for statements that are looks into an index, of
  /// which planning takes most of the time, and that are one of a few, since each plan stays until
  /// the connection ends. Where Postgres forgot it (behind a pooler that changes servers), each
  /// statement is planned each time.
  kOnce,
};

/// One connection, through libpqxx. One thread at a time. A statement that gets no answer within
/// the connection's patience fails, and the connection is broken then. Postgres ends the statement,
/// too: after its time, or within 2 s once the connection is closed.
class PgConnection {
 public:
  /// Gives up after the patience's `connect` for each address of the server. `limit` ends the waits
  /// of the connection; null: it makes one, which is a thread, for itself. No error contains the
  /// URL.
  static PgResult<PgConnection> open(const std::string& url, PgPatience patience = {},
                                     PgAccess access = PgAccess::kReadWrite,
                                     std::shared_ptr<WaitLimit> limit = nullptr);
  PgConnection(PgConnection&&) noexcept;
  PgConnection& operator=(PgConnection&&) noexcept;
  ~PgConnection();

  /// Without parameters one or several statements, and the rows of the last; else one, which is
  /// planned as asked. Outside BEGIN … COMMIT they are a transaction of their own.
  PgResult<SqlRows> execute(const std::string& sql,
                            const std::vector<SqlParameter>& parameters = {},
                            Planning planning = Planning::kEachTime);

  /// Whether the connection is lost, and the object useless.
  bool broken() const;

 private:
  class Session;
  explicit PgConnection(std::unique_ptr<Session> session);

  std::unique_ptr<Session> session_;
};

}  // namespace toolway::persistence::postgres
