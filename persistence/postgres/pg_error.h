#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/error.h"

namespace toolway::persistence::postgres {

/// What the caller can do about a failed statement.
enum class PgFailure {
  kData,         ///< the rows are at fault: the same rows fail again
  kContention,   ///< deadlock or serialization: retry at once
  kUnavailable,  ///< Postgres or the connection: retry later
  kStatement,    ///< the statement does not fit the schema: migrate, then retry
};

struct PgError {
  PgFailure failure = PgFailure::kUnavailable;
  std::string sqlstate;  ///< empty: none was given
  std::string message;   ///< without the URL; of Postgres' own words the first line
  bool gave_up = false;  ///< no answer came in time: the statement may have been executed
};

template <typename T>
using PgResult = tl::expected<T, PgError>;

/// Sorts SQLSTATEs into what can be done about them: the one place that knows them.
PgFailure failure_of(std::string_view sqlstate);
/// The statement names a table that the database does not have.
bool is_missing_table(const PgError& error);

/// kStoreUnavailable when another time may do, else kInternal.
ErrorCode code_of(PgFailure failure);
Error error_of(const PgError& error, std::string_view doing);

/// What may be shown of Postgres' own words: the lines after the first may quote rows.
std::string_view first_line(std::string_view text);

/// For those who must not read Postgres' own words, which may quote what a row holds.
std::string message_without_values(const PgError& error);

}  // namespace toolway::persistence::postgres
