#include "persistence/postgres/pg_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace toolway::persistence::postgres {

PgFailure failure_of(std::string_view sqlstate) {
  if (sqlstate == "40P01" || sqlstate == "40001" || sqlstate == "55P03")
    return PgFailure::kContention;
  const auto kind = sqlstate.substr(0, 2);
  // Data exceptions, violated constraints, and rows beyond a limit of Postgres.
  if (kind == "22" || kind == "23" || kind == "54") return PgFailure::kData;
  // About the connection, the transaction, the server or the moment.
  constexpr std::array<std::string_view, 7> kOfTheMoment{"", "08", "40", "53", "55", "57", "58"};
  return std::ranges::find(kOfTheMoment, kind) != kOfTheMoment.end() ? PgFailure::kUnavailable
                                                                     : PgFailure::kStatement;
}

bool is_missing_table(const PgError& error) { return error.sqlstate == "42P01"; }

ErrorCode code_of(PgFailure failure) {
  switch (failure) {
    case PgFailure::kContention:
    case PgFailure::kUnavailable: return ErrorCode::kStoreUnavailable;
    case PgFailure::kData:
    case PgFailure::kStatement: return ErrorCode::kInternal;
  }
  return ErrorCode::kInternal;
}

Error error_of(const PgError& error, std::string_view doing) {
  return {code_of(error.failure), fmt::format("{}: {}", doing, error.message), {}};
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

std::string message_without_values(const PgError& error) {
  if (is_missing_table(error)) return "the database is not migrated: run `toolway migrate`";
  return error.sqlstate.empty()
             ? error.message
             : fmt::format("Postgres refused a query (SQLSTATE {})", error.sqlstate);
}

}  // namespace toolway::persistence::postgres
