#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "persistence/specs/spec_rows.h"
#include "persistence/specs/spec_store.h"

namespace toolway::persistence::specs {

/// What was done to the specs in the table, and what goes back or on to an earlier version. One
/// thread at a time. Names are `namespace.name`. Errors of all: as SpecRows.
class SpecHistory {
 public:
  static Result<SpecHistory> open(const std::string& url, postgres::PgPatience patience = {});

  /// Oldest first. Also kUnknownTool: there never was a spec of that name.
  Result<std::vector<SpecChange>> of(const std::string& name);
  /// Makes an earlier version the stable one. `to`: its number, or its digest or the beginning of
  /// it; nothing: the one before. Returns the version it restored. Also kUnknownTool; kInvalidSpec:
  /// there is no such version, it is already in force, or `readable` says why this build cannot
  /// read it.
  using Readable = Result<void> (*)(const std::string& document);
  Result<SpecChange> roll_back(const std::string& name, const std::optional<std::string>& to,
                               Readable readable, const SpecAuthor& author);
  /// Makes the candidate the one version. Returns its digest. Also kUnknownTool: there is none.
  Result<std::string> promote(const std::string& name, const SpecAuthor& author);

 private:
  explicit SpecHistory(SpecRows rows) : rows_(std::move(rows)) {}

  SpecRows rows_;
};

}  // namespace toolway::persistence::specs
