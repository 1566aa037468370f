#pragma once

#include <string>

#include "persistence/postgres/pg_patience.h"
#include "persistence/specs/spec_history.h"
#include "persistence/specs/spec_store.h"

namespace toolway::persistence::specs {

/// The table `tool_specs`. Each function has a connection of its own, which ends with it: an
/// operator's command, and a gateway's that comes once a day. Thread-safe.
class PostgresSpecStore final : public SpecStore {
 public:
  /// `url` is never logged. `readable`: whether this build can read a version of old. `patience`:
  /// of each function, with Postgres.
  PostgresSpecStore(std::string url, SpecHistory::Readable readable,
                    postgres::PgPatience patience = {});

  Result<std::vector<PutOutcome>> put(std::span<const PutSpec> specs,
                                      const SpecAuthor& author) override;
  Result<std::vector<StoredSpec>> list() override;
  Result<void> remove(std::span<const std::string> names, Which which,
                      const SpecAuthor& author) override;
  Result<std::vector<SpecChange>> history(const std::string& name) override;
  Result<SpecChange> roll_back(const std::string& name, const std::optional<std::string>& to,
                               const SpecAuthor& author) override;
  Result<std::string> promote(const std::string& name, const SpecAuthor& author) override;

 private:
  const std::string url_;
  const SpecHistory::Readable readable_;
  const postgres::PgPatience patience_;
};

}  // namespace toolway::persistence::specs
