#pragma once

#include <string>
#include <vector>

#include "persistence/audit/seal.h"
#include "persistence/audit/verify.h"
#include "persistence/postgres/sql_parameter.h"
#include "persistence/postgres/sql_row.h"

/// How seals and records are in their tables.
namespace toolway::persistence::audit {

/// All of a seal's columns, for seal_of.
std::string seal_columns();
/// Those without its entries, for seal_of.
std::string short_seal_columns();
Seal seal_of(const postgres::SqlRow& row);

/// Stores a seal, unless there is one with its number: no row says so.
struct Statement {
  std::string sql;
  std::vector<postgres::SqlParameter> parameters;
};
Statement insert_seal(const Seal& seal);

/// The columns of a record, for record_of and json_of.
std::string record_columns();
/// What is held to its seal.
FoundRecord found_record(const postgres::SqlRow& row);
/// A line of NDJSON, without its newline.
std::string ndjson_line(const postgres::SqlRow& row);

}  // namespace toolway::persistence::audit
