#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "persistence/audit/verify.h"
#include "persistence/postgres/pg_connection.h"

namespace toolway::persistence::audit {

/// Which records an export has: all that is given must hold.
struct ExportFilter {
  std::optional<WallTime> since;  ///< of the time at which it happened
  std::optional<WallTime> until;  ///< before this one
  std::optional<std::string> tenant;
  std::optional<std::string> what;
};

/// The audit as it is at one moment, read in pages of bounded size. One thread. Errors of all:
/// kStoreUnavailable; kInvalidRequest when the database has no audit.
class AuditReader {
 public:
  /// The moment is that of the first reading.
  static Result<AuditReader> open(const std::string& postgres_url);

  Result<Verified> verify(const SealKeys& keys, std::optional<Anchor> anchor, WallTime now);
  /// Hands each record to `take` as a line of NDJSON without its newline, in the order in which
  /// they were recorded. The number of them.
  Result<std::uint64_t> export_to(const ExportFilter& filter,
                                  const std::function<void(std::string_view)>& take);

 private:
  explicit AuditReader(postgres::PgConnection connection) : connection_(std::move(connection)) {}
  Result<postgres::SqlRows> ask(const std::string& sql,
                                const std::vector<postgres::SqlParameter>& parameters = {});
  Result<std::optional<Seal>> newest_good_seal(const SealKeys& keys);

  postgres::PgConnection connection_;
};

}  // namespace toolway::persistence::audit
