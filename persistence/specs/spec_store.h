#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/model/spec.h"

namespace toolway::persistence::specs {

/// Who asked for a change, as authentication has established it.
struct SpecCaller {
  std::string tenant_id;
  std::string user_id;
  std::string method;
  std::string key_id;
};

/// Who writes, for the history.
struct SpecAuthor {
  std::string who;
  std::string note;
  std::optional<SpecCaller> caller{};  ///< for the audit; nothing: `who` is all that is known
};

/// A spec to put.
struct PutSpec {
  tools::model::Spec spec;
  bool enabled = true;
  unsigned rollout = 0;  ///< percent of sessions, of a candidate; 0: it is the stable version
  std::string origin{};  ///< file that says so, for messages
  int line = 0;          ///< in `origin`
};

enum class PutOutcome { kAdded, kChanged, kUnchanged };
/// `added`, `changed`, `unchanged`
constexpr const char* name_of(PutOutcome outcome) {
  switch (outcome) {
    case PutOutcome::kAdded: return "added";
    case PutOutcome::kChanged: return "changed";
    case PutOutcome::kUnchanged: return "unchanged";
  }
  return "unchanged";
}

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

/// What was done to a name at one time.
struct SpecChange {
  std::int64_t number = 0;  ///< from 1, by name
  std::string what;         ///< put, remove, rollback, promote
  bool candidate = false;
  unsigned rollout = 0;  ///< percent of sessions, of a candidate
  bool enabled = true;
  std::string digest;    ///< empty: of a removal
  std::string document;  ///< JSON, as `tools::to_document` writes it; empty likewise
  std::string version;   ///< as the document says
  std::string who;
  std::string note;
  std::string created_at;  ///< RFC 3339, UTC
};

/// The specs that the database keeps, for operators: in Postgres, or through a gateway. Names are
/// `namespace.name`. Every function blocks. Errors of all: kStoreUnavailable, kInternal (the schema
/// is not up to date …); through a gateway also what a client of it meets.
class SpecStore {
 public:
  enum class Which { kAll, kCandidate };
  virtual ~SpecStore() = default;

  /// All or nothing; what already exists with the same digest and share stays as it is. Names must
  /// be unique within `specs`, those of candidates among candidates. Returns an outcome per spec,
  /// in their order. Also kInvalidSpec: a candidate without a stable version, or the same as it.
  virtual Result<std::vector<PutOutcome>> put(std::span<const PutSpec> specs,
                                              const SpecAuthor& author) = 0;
  /// Sorted by namespace and name, candidates after their stable version.
  virtual Result<std::vector<StoredSpec>> list() = 0;
  /// All of them, or none; with its stable version a candidate is removed too. Also kUnknownTool,
  /// naming near names.
  virtual Result<void> remove(std::span<const std::string> names, Which which,
                              const SpecAuthor& author) = 0;
  /// Oldest first. Also kUnknownTool: there never was a spec of that name.
  virtual Result<std::vector<SpecChange>> history(const std::string& name) = 0;
  /// Makes an earlier version the stable one. `to`: its number, or its digest or the beginning of
  /// it; nothing: the one before. Returns the version it restored. Also kUnknownTool; kInvalidSpec:
  /// there is no such version, it is already in force, or this build cannot read it.
  virtual Result<SpecChange> roll_back(const std::string& name,
                                       const std::optional<std::string>& to,
                                       const SpecAuthor& author) = 0;
  /// Makes the candidate the one version. Returns its digest. Also kUnknownTool: there is none.
  virtual Result<std::string> promote(const std::string& name, const SpecAuthor& author) = 0;
};

}  // namespace toolway::persistence::specs
