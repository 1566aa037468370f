#include "persistence/reaper/sealing.h"

#include <fmt/format.h>

#include "base/try.h"
#include "persistence/audit/seal_rows.h"

namespace toolway::persistence::reaper {
namespace {

using postgres::SqlRows;

Result<std::optional<audit::Seal>> newest(ElectedConnection& connection,
                                          const std::string& columns) {
  ASSIGN_OR_RETURN(const auto rows,
                   connection.ask(fmt::format(
                       "SELECT {} FROM audit_seals ORDER BY number DESC LIMIT 1", columns)));
  if (rows.empty()) return std::optional<audit::Seal>();
  return std::optional(audit::seal_of(rows.front()));
}

/// `below`: an xid8.
Result<SqlRows> records(ElectedConnection& connection, std::uint64_t from_xid,
                        const std::string& below, std::size_t limit) {
  return connection.ask(
      fmt::format("WITH edge AS MATERIALIZED (SELECT {} AS below) "
                  "SELECT number, xid, (at AT TIME ZONE 'UTC')::date - date '1970-01-01' AS day, "
                  "digest, (SELECT below FROM edge) AS below FROM audit_log "
                  "WHERE xid >= $1::xid8 AND xid < (SELECT below FROM edge) "
                  "ORDER BY xid, number LIMIT $2::bigint",
                  below),
      {from_xid, limit});
}

std::vector<audit::SealEntry> entries_of(const SqlRows& rows) {
  std::vector<audit::SealEntry> entries;
  entries.reserve(rows.size());
  for (const auto& row : rows)
    entries.push_back({.number = row.get<std::int64_t>("number"),
                       .xid = row.get<std::uint64_t>("xid"),
                       .day = static_cast<std::int32_t>(row.get<std::int64_t>("day")),
                       .digest = row.get<std::string>("digest")});
  return entries;
}

}  // namespace

Result<std::optional<audit::Seal>> last_seal(ElectedConnection& connection) {
  return newest(connection, audit::short_seal_columns());
}

Result<std::optional<audit::Seal>> whole_last_seal(ElectedConnection& connection) {
  return newest(connection, audit::seal_columns());
}

Result<std::optional<std::string>> mac_of_seal(ElectedConnection& connection, std::int64_t number) {
  ASSIGN_OR_RETURN(
      const auto rows,
      connection.ask("SELECT mac FROM audit_seals WHERE number = $1::bigint", {number}));
  if (rows.empty()) return std::optional<std::string>();
  return std::optional(rows.front().get<std::string>("mac"));
}

Result<Sealable> sealable(ElectedConnection& connection, std::uint64_t from_xid,
                          std::size_t limit) {
  ASSIGN_OR_RETURN(auto rows, records(connection, from_xid,
                                      "pg_snapshot_xmin(pg_current_snapshot())", limit + 1));
  Sealable found{.entries = entries_of(rows)};
  if (found.entries.empty()) return found;
  found.to_xid = rows.front().get<std::uint64_t>("below");
  if (found.entries.size() <= limit) return found;
  // The last transaction may have more.
  found.more = true;
  const auto first = found.entries.front().xid;
  const auto last = found.entries.back().xid;
  if (first != last) {
    std::erase_if(found.entries, [last](const auto& entry) { return entry.xid == last; });
    found.to_xid = last;
    return found;
  }
  constexpr std::size_t kAll = 100'000'000;
  ASSIGN_OR_RETURN(rows, records(connection, first, fmt::format("'{}'::xid8", first + 1), kAll));
  return Sealable{.entries = entries_of(rows), .to_xid = first + 1, .more = true};
}

Result<bool> store_seal(ElectedConnection& connection, const audit::Seal& seal) {
  const auto statement = audit::insert_seal(seal);
  ASSIGN_OR_RETURN(const auto stored, connection.ask(statement.sql, statement.parameters));
  return !stored.empty();
}

// Of a plain min(at), a plan that is kept walks the index of `at` through all that is sealed. What
// has waited longest is among the first in the order of transactions.
std::string oldest_unsealed_statement() {
  return "WITH first AS MATERIALIZED (SELECT at FROM audit_log WHERE xid >= $1::xid8 "
         "ORDER BY xid, number LIMIT 1000) "
         "SELECT (extract(epoch FROM min(at)) * 1000000)::bigint AS oldest FROM first";
}

Result<std::optional<WallTime>> oldest_unsealed(ElectedConnection& connection,
                                                std::uint64_t to_xid) {
  ASSIGN_OR_RETURN(const auto rows, connection.ask(oldest_unsealed_statement(), {to_xid}));
  const auto oldest = rows.at(0).nullable<std::int64_t>("oldest");
  return oldest ? std::optional(from_unix_us(*oldest)) : std::nullopt;
}

Result<std::optional<std::int64_t>> first_seal_of(ElectedConnection& connection, std::int32_t day) {
  ASSIGN_OR_RETURN(const auto rows,
                   connection.ask("SELECT min(number) AS number FROM audit_seals "
                                  "WHERE last_day >= date '1970-01-01' + $1::integer",
                                  {day}));
  return rows.at(0).nullable<std::int64_t>("number");
}

Result<bool> store_cut(ElectedConnection& connection, const audit::Seal& cut) {
  RETURN_IF_ERROR(connection.ask("BEGIN"));
  ASSIGN_OR_RETURN(const auto stored, store_seal(connection, cut));
  if (stored) RETURN_IF_ERROR(drop_records_before(connection, *cut.kept_from));
  RETURN_IF_ERROR(connection.ask("COMMIT"));
  return stored;
}

Result<std::int64_t> drop_records_before(ElectedConnection& connection, std::int32_t day) {
  ASSIGN_OR_RETURN(
      const auto rows,
      connection.ask("SELECT drop_audit_before(date '1970-01-01' + $1::integer)::bigint AS dropped",
                     {day}));
  return rows.at(0).get<std::int64_t>("dropped");
}

}  // namespace toolway::persistence::reaper
