#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "persistence/postgres/pg_patience.h"
#include "persistence/postgres/wait_limit.h"

namespace toolway::persistence {

/// A value in text form, or NULL.
using Cell = std::optional<std::string>;
using Rows = std::vector<std::vector<Cell>>;

/// Why a query gave no rows.
enum class QueryFailure {
  kBroken,     ///< the connection is lost
  kSilent,     ///< no answer in time; the connection is no longer usable
  kRefused,    ///< Postgres answered that it cannot, or not in time
  kStatement,  ///< the statement is at fault
};
struct QueryError {
  QueryFailure failure = QueryFailure::kBroken;
  std::string message;  ///< without credentials
};

/// One connection for statements that only read. One thread at a time.
class QueryConnection {
 public:
  virtual ~QueryConnection() = default;
  /// One statement in a read-only transaction of its own; its rows, or why not.
  virtual std::optional<QueryError> query(const std::string& sql,
                                          const std::vector<std::string>& parameters,
                                          Rows& rows) = 0;
};

/// Postgres ends a statement after `statement_timeout`; when Postgres says nothing, it is
/// given up half a second later, or at the cutoff. Null when Postgres cannot be reached, after 2 s
/// for each address of it.
std::unique_ptr<QueryConnection> open_query_connection(
    const std::string& url, std::chrono::milliseconds statement_timeout,
    std::shared_ptr<WaitLimit> limit, std::shared_ptr<PgCutoff> cutoff = nullptr);

/// The bytes of a bytea in its text form, \x….
std::string bytes_of_bytea(std::string_view text);

}  // namespace toolway::persistence
