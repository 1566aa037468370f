#include "persistence/postgres/sql_row.h"

#include <fmt/format.h>

#include <stdexcept>

namespace toolway::persistence::postgres {

const SqlValue& SqlRow::value(std::string_view column) const {
  const SqlValue* found = nullptr;
  for (std::size_t i = 0; i < columns_->size(); ++i) {
    if ((*columns_)[i] != column) continue;
    if (found != nullptr) refuse(column, "is there more than once");
    found = &values_.at(i);
  }
  if (found == nullptr) refuse(column, "is not there");
  return *found;
}

void SqlRow::refuse(std::string_view column, const char* why) {
  throw std::logic_error(fmt::format("a query's column '{}' {}", column, why));
}

}  // namespace toolway::persistence::postgres
