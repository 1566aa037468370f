#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "persistence/pg_connection.h"
#include "tools/spec.h"

namespace toolway::persistence {

/// A spec to be put.
struct PutSpec {
  tools::Spec spec;
  bool enabled = true;
};

enum class PutOutcome { kAdded, kChanged, kUnchanged };

/// The current version of a spec in the table.
struct StoredSpec {
  std::string ns;
  std::string name;
  std::string version;  ///< as the spec says
  std::string kind;
  std::string digest;
  std::int64_t revision = 0;
  bool enabled = true;
  std::string created_at;  ///< RFC 3339, UTC
};

/// The table `tool_specs`, for those who write it. One thread at a time.
/// Errors of all: kStoreUnavailable, kInternal (the schema is not up to date …).
class SpecTable {
 public:
  static Result<SpecTable> open(const std::string& url);

  /// All or nothing; what is there already with the same digest stays as it is.
  /// Names must be unique within `specs`. Returns an outcome per spec, in their order.
  Result<std::vector<PutOutcome>> put(std::span<const PutSpec> specs);
  /// Sorted by namespace and name.
  Result<std::vector<StoredSpec>> list();
  /// All of them by `namespace.name`, or none. Also kUnknownTool, naming near names.
  Result<void> remove(std::span<const std::string> names);

 private:
  explicit SpecTable(PgConnection connection) : connection_(std::move(connection)) {}
  template <typename Work>
  Result<void> in_transaction(Work work);
  Result<PgReply> run(const std::string& sql, const std::vector<std::optional<std::string>>& parameters = {});

  PgConnection connection_;
};

}  // namespace toolway::persistence
