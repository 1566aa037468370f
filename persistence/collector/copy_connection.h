#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "persistence/collector/pg_dialogue.h"
#include "persistence/postgres/pg_error.h"
#include "persistence/postgres/pg_patience.h"
#include "persistence/postgres/sql_parameter.h"

struct pg_conn;
struct pg_result;

namespace toolway::persistence::collector {

struct CopyReply {
  std::string value;  ///< the first one, as text; empty: NULL, or no rows
  std::uint64_t affected = 0;
};

/// Statements that the server gets in one message, and what they read. It stops at the first error.
struct CopyScript {
  std::string sql;
  std::vector<std::string_view> data;  ///< of each COPY … FROM STDIN among them, in order
  std::function<void()> while_finishing =
      {};                  ///< runs once nothing is left to send, before the wait
  std::string value = {};  ///< set: the newest one that a SELECT returned
};

/// The batch writer's connection, through libpq: libpqxx has no binary COPY, and the statements
/// around a COPY belong to its transaction, hence to its connection. All others use PgConnection.
/// One thread at a time; limits as there.
class CopyConnection {
 public:
  /// Gives up after the patience's `connect` for each address of the server. No error contains the
  /// URL.
  static postgres::PgResult<CopyConnection> open(const std::string& url,
                                                 postgres::PgPatience patience = {});

  /// Without parameters one or several statements, and the reply to the last; else one.
  postgres::PgResult<CopyReply> execute(const std::string& sql,
                                        const std::vector<postgres::SqlParameter>& parameters = {});
  /// Without an error all of it is done.
  postgres::PgResult<void> run(CopyScript& script);

  /// Whether the connection is lost, and the object useless.
  bool broken() const;

 private:
  struct Close {
    void operator()(pg_conn* connection) const;
  };
  struct Clear {
    void operator()(pg_result* result) const;
  };
  using Answer = std::unique_ptr<pg_result, Clear>;

  CopyConnection(pg_conn* connection, postgres::PgPatience patience)
      : connection_(connection), patience_(std::move(patience)) {}
  postgres::PgError connection_error() const;
  postgres::PgError given_up();
  postgres::PgResult<Answer> finish(PgDialogue& dialogue, std::string* value = nullptr);
  PgWait put(PgDialogue& dialogue, std::string_view data);
  postgres::PgResult<Answer> exchange(const std::string& sql,
                                      const std::vector<postgres::SqlParameter>& parameters = {});

  std::unique_ptr<pg_conn, Close> connection_;
  postgres::PgPatience patience_;
  bool gave_up_ = false;
};

}  // namespace toolway::persistence::collector
