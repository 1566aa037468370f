#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "persistence/schema/migrations.h"

namespace toolway::persistence::schema {

struct MigrationReport {
  std::vector<std::string> applied;  ///< names of the migrations this run applied
  unsigned version = 0;              ///< the schema's version now
};

/// Brings the schema of `url` up to date: forward-only numbered migrations, each
/// in a transaction, under an advisory lock, so that several may run at once.
/// Errors: kStoreUnavailable, kInternal (a database newer than this program …).
Result<MigrationReport> migrate(const std::string& url);

/// What `migrate` does, with other migrations: for tests.
Result<MigrationReport> apply_migrations(const std::string& url,
                                         const std::vector<Migration>& migrations);

}  // namespace toolway::persistence::schema
