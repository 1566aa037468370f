#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "persistence/schema/migrate.h"

namespace toolway::persistence::schema {

/// One file of persistence/migrations/, embedded at build time.
struct Migration {
  unsigned version = 0;
  std::string name;
  std::string sql;
};

/// In order of version, from 1, without gaps.
const std::vector<Migration>& embedded_migrations();

/// FNV-1a of the text, as 16 hex digits: tells an edited migration, not a forged one.
std::string migration_checksum(const Migration& migration);

/// What `migrate` does, with other migrations: for tests.
Result<MigrationReport> apply_migrations(const std::string& url,
                                         const std::vector<Migration>& migrations);

}  // namespace toolway::persistence::schema
