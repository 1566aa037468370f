#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "persistence/specs/spec_rows.h"
#include "persistence/specs/spec_store.h"

namespace toolway::persistence::specs {

/// The current specs of the table `tool_specs`, for those who write them. One thread at a time.
/// Names are `namespace.name`. Errors of all: as SpecRows.
class SpecTable {
 public:
  static Result<SpecTable> open(const std::string& url, postgres::PgPatience patience = {});

  /// All or nothing; what already exists with the same digest and share stays as it is. Names must
  /// be unique within `specs`, those of candidates among candidates. Returns an outcome per spec,
  /// in their order. Also kInvalidSpec: a candidate without a stable version, or the same as it.
  Result<std::vector<PutOutcome>> put(std::span<const PutSpec> specs,
                                      const SpecAuthor& author = {});
  /// Sorted by namespace and name, candidates after their stable version.
  Result<std::vector<StoredSpec>> list();
  using Which = SpecStore::Which;
  /// All of them, or none; with its stable version a candidate is removed too. Also kUnknownTool,
  /// naming near names.
  Result<void> remove(std::span<const std::string> names, Which which = Which::kAll,
                      const SpecAuthor& author = {});

 private:
  explicit SpecTable(SpecRows rows) : rows_(std::move(rows)) {}

  SpecRows rows_;
};

}  // namespace toolway::persistence::specs
