#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/try.h"
#include "persistence/postgres/pg_connection.h"
#include "tools/model/spec.h"

namespace toolway::persistence {

/// A spec to put.
struct PutSpec {
  tools::Spec spec;
  bool enabled = true;
  unsigned rollout = 0;  ///< percent of sessions, of a candidate; 0: it is the stable version
};

enum class PutOutcome { kAdded, kChanged, kUnchanged };

/// Who writes, for the history.
struct SpecAuthor {
  std::string who;
  std::string note;
};

/// A current version of a spec in the table: the stable one of its name, or the candidate.
struct StoredSpec {
  std::string ns;
  std::string name;
  std::string version;  ///< as the spec says
  std::string kind;
  std::string digest;
  std::int64_t revision = 0;
  bool enabled = true;
  unsigned rollout = 0;    ///< percent of sessions, of a candidate
  std::string created_at;  ///< RFC 3339, UTC
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

/// The table `tool_specs`, for those who write it. One thread at a time. Names are
/// `namespace.name`. Errors of all: kStoreUnavailable, kInternal (the schema is not up to date …).
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

  // spec_versions.cc

  /// Oldest first. Also kUnknownTool: there never was a spec of that name.
  Result<std::vector<SpecChange>> history(const std::string& name);
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
  /// A row to be added.
  struct NewRow {
    std::string ns;
    std::string name;
    const char* what;
    bool candidate = false;
    bool enabled = true;
    unsigned rollout = 0;
    std::string digest{};
    std::string document{};  ///< empty: removed
  };

  explicit SpecTable(PgConnection connection) : connection_(std::move(connection)) {}
  template <typename Work>
  Result<void> in_transaction(Work work) {
    RETURN_IF_ERROR(begin());
    return end(work());
  }
  Result<void> begin();
  Result<void> end(Result<void> done);
  Result<void> add(const std::vector<NewRow>& rows, const SpecAuthor& author);
  Result<SqlRows> run(const std::string& sql, const std::vector<SqlParameter>& parameters = {});

  PgConnection connection_;
};

}  // namespace toolway::persistence
