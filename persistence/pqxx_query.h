#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toolway::persistence {

/// A value in text form, or NULL.
using Cell = std::optional<std::string>;
using Rows = std::vector<std::vector<Cell>>;

/// Why a query gave no rows.
enum class QueryFailure {
  kBroken,     ///< the connection is lost
  kRefused,    ///< Postgres answered that it cannot, or not in time
  kStatement,  ///< the statement is at fault
};
struct QueryError {
  QueryFailure failure = QueryFailure::kBroken;
  std::string message;  ///< without credentials
};

/// One connection through libpqxx; the one place that knows its versions
/// (6.4 and 7.10 differ in how parameters are passed). One thread at a time.
class QueryConnection {
 public:
  virtual ~QueryConnection() = default;
  /// One statement in a read-only transaction of its own; its rows, or why not.
  virtual std::optional<QueryError> query(const std::string& sql,
                                          const std::vector<std::string>& parameters,
                                          Rows& rows) = 0;
};

/// Null when Postgres cannot be reached; gives up after some seconds.
std::unique_ptr<QueryConnection> open_query_connection(
    const std::string& url, std::chrono::milliseconds statement_timeout);

/// The bytes of a bytea in its text form, \x….
std::string bytes_of_bytea(std::string_view text);

}  // namespace toolway::persistence
