#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/try.h"
#include "persistence/postgres/pg_connection.h"
#include "persistence/specs/spec_store.h"

namespace toolway::persistence::specs {

/// The rows of the table `tool_specs`, which are never changed: what is done to a spec adds one.
/// One thread at a time. Errors of all: kStoreUnavailable, kInternal (the schema is not up to
/// date …).
class SpecRows {
 public:
  static Result<SpecRows> open(const std::string& url, postgres::PgPatience patience);

  /// `work` returns Result<void>, and reads and adds rows; all that it adds, or nothing when it
  /// fails. No other process writes until it ends. Also its own errors.
  template <typename Work>
  Result<void> in_transaction(Work work) {
    RETURN_IF_ERROR(begin());
    return end(work());
  }

  /// A row to be added.
  struct NewRow {
    std::string ns;
    std::string name;
    const char* what;
    bool candidate = false;
    bool enabled = true;
    unsigned rollout = 0;  ///< percent of sessions, of a candidate
    std::string digest{};
    std::string document{};  ///< empty: removed
  };
  Result<void> add(const std::vector<NewRow>& rows, const SpecAuthor& author);
  Result<postgres::SqlRows> run(const std::string& sql,
                                const std::vector<postgres::SqlParameter>& parameters = {});

 private:
  explicit SpecRows(postgres::PgConnection connection) : connection_(std::move(connection)) {}
  Result<void> begin();
  Result<void> end(Result<void> done);

  postgres::PgConnection connection_;
};

}  // namespace toolway::persistence::specs
