#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace toolway::persistence::postgres {

/// A value as Postgres has it. NULL: monostate; smallint to bigint: int64; xid8: uint64; real and
/// double precision: double; bytea: its bytes; all other types: their text.
using SqlValue =
    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string>;

/// One row of a query, with values by the names of their columns. Immutable.
class SqlRow {
 public:
  using Columns = std::shared_ptr<const std::vector<std::string>>;
  /// As many values as columns.
  SqlRow(Columns columns, std::vector<SqlValue> values)
      : columns_(std::move(columns)), values_(std::move(values)) {}

  /// The value of the column. T is bool, std::int64_t, std::uint64_t, double or std::string. A
  /// mistake in the program, which throws std::logic_error: no column, or several, of that name;
  /// another type; NULL.
  template <typename T>
  const T& get(std::string_view column) const;
  /// The same; nothing: NULL.
  template <typename T>
  std::optional<T> nullable(std::string_view column) const;

  /// All, in the order of the columns.
  const std::vector<SqlValue>& values() const { return values_; }

 private:
  const SqlValue& value(std::string_view column) const;
  [[noreturn]] static void refuse(std::string_view column, const char* why);

  Columns columns_;
  std::vector<SqlValue> values_;
};

using SqlRows = std::vector<SqlRow>;

template <typename T>
const T& SqlRow::get(std::string_view column) const {
  const SqlValue& found = value(column);
  if (const T* const typed = std::get_if<T>(&found)) return *typed;
  refuse(column, std::holds_alternative<std::monostate>(found) ? "is NULL" : "has another type");
}

template <typename T>
std::optional<T> SqlRow::nullable(std::string_view column) const {
  if (std::holds_alternative<std::monostate>(value(column))) return std::nullopt;
  return get<T>(column);
}

}  // namespace toolway::persistence::postgres
