#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace toolway::persistence::schema {

struct MigrationReport {
  std::vector<std::string> applied;  ///< names of the migrations this run applied
  unsigned version = 0;              ///< the schema's version now
};

/// Brings the schema of `url` up to date: forward-only numbered migrations, each
/// in a transaction, under an advisory lock, so that several may run at once.
/// Errors: kStoreUnavailable, kInternal (a database newer than this program …).
Result<MigrationReport> migrate(const std::string& url);

}  // namespace toolway::persistence::schema
