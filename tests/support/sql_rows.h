#pragma once

#include <string>
#include <utility>
#include <vector>

#include "persistence/postgres/sql_row.h"

namespace toolway::test {

/// A row that no query gave, for functions that read rows.
inline persistence::postgres::SqlRow sql_row(
    std::vector<std::pair<std::string, persistence::postgres::SqlValue>> cells) {
  std::vector<std::string> columns;
  std::vector<persistence::postgres::SqlValue> values;
  for (auto& [column, value] : cells) {
    columns.push_back(std::move(column));
    values.push_back(std::move(value));
  }
  return {std::make_shared<const std::vector<std::string>>(std::move(columns)), std::move(values)};
}

/// As psql shows it; a bytea as its bytes.
inline std::string text_of(const persistence::postgres::SqlValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "t" : "f";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&value)) return std::to_string(*number);
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? "" : *text;
}

}  // namespace toolway::test
