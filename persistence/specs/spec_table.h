#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "persistence/specs/spec_rows.h"
#include "tools/model/spec.h"

namespace toolway::persistence::specs {

/// A spec to put.
struct PutSpec {
  tools::model::Spec spec;
  bool enabled = true;
  unsigned rollout = 0;  ///< percent of sessions, of a candidate; 0: it is the stable version
};

enum class PutOutcome { kAdded, kChanged, kUnchanged };

/// A current version of a spec in the table: the stable one of its name, or the candidate.
struct StoredSpec {
  std::string ns;
  std::string name;     ///< without the namespace
  std::string version;  ///< as the spec says
  std::string kind;
  std::string digest;
  std::int64_t revision = 0;
  bool enabled = true;
  unsigned rollout = 0;    ///< percent of sessions, of a candidate
  std::string created_at;  ///< RFC 3339, UTC

  /// `namespace.name`
  std::string qualified_name() const { return ns + "." + name; }
};

/// The current specs of the table `tool_specs`, for those who write them. One thread at a time.
/// Names are `namespace.name`. Errors of all: as SpecRows.
class SpecTable {
 public:
  static Result<SpecTable> open(const std::string& url);

  /// All or nothing; what already exists with the same digest and share stays as it is. Names must
  /// be unique within `specs`, those of candidates among candidates. Returns an outcome per spec,
  /// in their order. Also kInvalidSpec: a candidate without a stable version, or the same as it.
  Result<std::vector<PutOutcome>> put(std::span<const PutSpec> specs,
                                      const SpecAuthor& author = {});
  /// Sorted by namespace and name, candidates after their stable version.
  Result<std::vector<StoredSpec>> list();
  enum class Which { kAll, kCandidate };
  /// All of them, or none; with its stable version a candidate is removed too. Also kUnknownTool,
  /// naming near names.
  Result<void> remove(std::span<const std::string> names, Which which = Which::kAll,
                      const SpecAuthor& author = {});

 private:
  explicit SpecTable(SpecRows rows) : rows_(std::move(rows)) {}

  SpecRows rows_;
};

}  // namespace toolway::persistence::specs
