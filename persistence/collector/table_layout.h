#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// The tables that the collector writes, as data. A test holds them to the migrations.
namespace toolway::persistence::collector {

/// In the order in which every transaction writes them, so that two collectors cannot wait for each
/// other.
enum class Table : std::uint8_t {
  kCalls,
  kEvents,
  kCompletions,
  kAlive,
  kBlobs,
  kSessions,
  kAudit,
  kApprovals,
  kApiKeys
};
inline constexpr std::size_t kTables = 9;

/// What becomes of a row whose key is already in the table.
enum class MergeRule : std::uint8_t {
  kFirstStays,   ///< nothing: it says the same
  kNewestWins,   ///< it follows the newest message; seldom, so rows are appended at first
  kAlwaysMerge,  ///< it follows the newest message, and nearly every row is there already
};

struct Column {
  std::string_view name;
  std::string_view type;  ///< as the migrations name it
  /// Whether it follows the newest message, in a table whose rows do.
  enum class Follows : std::uint8_t { kNo, kYes } follows = Follows::kNo;
};

struct TableLayout {
  std::string_view name;
  MergeRule rule;
  /// Those that COPY writes, in order. Postgres has defaults for the others.
  std::span<const Column> columns;
  std::span<const std::string_view> key;
  /// What orders the rows: of those that follow the newest message, that message's position in its
  /// stream; of the others, whatever is the same in every collector, since otherwise two of them
  /// could wait for each other.
  std::span<const std::string_view> order;
  /// More that a newer message changes.
  std::string_view also_set = "";
};

const TableLayout& layout_of(Table table);

/// The columns, separated by commas.
std::string column_list(const TableLayout& layout);
/// The temporary table that rows come from when they are merged.
std::string batch_table(const TableLayout& layout);
/// From the batch table into the real one, by the rule.
std::string merge_sql(const TableLayout& layout);

}  // namespace toolway::persistence::collector
