#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "persistence/postgres/sql_parameter.h"
#include "persistence/postgres/sql_row.h"

/// The audit a page at a time, for who follows it. See docs/audit.md.
namespace toolway::persistence::audit {

/// Where a record is: the transaction that recorded it, and its number. Ordered; {} is the
/// beginning.
struct RecordPlace {
  std::uint64_t xid = 0;
  std::uint64_t number = 0;
  auto operator<=>(const RecordPlace&) const = default;
};

/// Which records are asked for: all that is given must hold.
struct RecordFilter {
  std::optional<std::string> tenant{};
  std::string what{};               ///< empty: any
  std::string user{};               ///< likewise
  std::optional<WallTime> since{};  ///< of the time at which it happened
  std::optional<WallTime> until{};  ///< before this one
};

/// Records in the order in which they were recorded.
struct RecordPage {
  std::vector<std::string> records;  ///< JSON, as `toolway audit export` writes them
  RecordPlace looked_to;             ///< where the next page begins
  bool more = false;                 ///< others follow, or may follow
};

/// Records that one page looks at when some are left out; so it may be empty while more follow.
inline constexpr std::size_t kMaxRecordLooks = 5000;

struct PageStatement {
  std::string sql;
  std::vector<postgres::SqlParameter> parameters;
};

/// Reads below every transaction that still runs: who continues from the last place has missed
/// none, whatever commits late. Pure.
PageStatement page_statement(const RecordFilter& filter, RecordPlace after, std::size_t limit);

/// What it answered. `after` and `limit` are those that were asked for. Pure.
RecordPage record_page(const postgres::SqlRows& rows, RecordPlace after, std::size_t limit);

}  // namespace toolway::persistence::audit
