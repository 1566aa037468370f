#pragma once

#include <optional>
#include <string>
#include <vector>

#include "persistence/postgres/sql_parameter.h"
#include "persistence/postgres/sql_row.h"
#include "persistence/store/store_reader.h"

/// Lists of calls that are or were held for approval. Pure.
namespace toolway::persistence::store {

struct HeldStatement {
  std::string sql;
  std::vector<postgres::SqlParameter> parameters;
};

/// A page (page_query.h) of at most `rows` of them, after the call `after` (nothing: from the
/// beginning).
HeldStatement held_page(const ApprovalFilter& filter, const std::optional<std::string>& after,
                        std::size_t rows, std::size_t max_bytes);
/// Of a row of that.
Result<HeldCall> held_call(const postgres::SqlRow& row);

}  // namespace toolway::persistence::store
