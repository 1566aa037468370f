#include "persistence/specs/postgres_spec_store.h"

#include <utility>

#include "base/try.h"
#include "persistence/specs/spec_table.h"

namespace toolway::persistence::specs {

PostgresSpecStore::PostgresSpecStore(std::string url, SpecHistory::Readable readable,
                                     postgres::PgPatience patience)
    : url_(std::move(url)), readable_(readable), patience_(std::move(patience)) {}

Result<std::vector<PutOutcome>> PostgresSpecStore::put(std::span<const PutSpec> specs,
                                                       const SpecAuthor& author) {
  ASSIGN_OR_RETURN(auto table, SpecTable::open(url_, patience_));
  return table.put(specs, author);
}

Result<std::vector<StoredSpec>> PostgresSpecStore::list() {
  ASSIGN_OR_RETURN(auto table, SpecTable::open(url_, patience_));
  return table.list();
}

Result<void> PostgresSpecStore::remove(std::span<const std::string> names, Which which,
                                       const SpecAuthor& author) {
  ASSIGN_OR_RETURN(auto table, SpecTable::open(url_, patience_));
  return table.remove(names, which, author);
}

Result<std::vector<SpecChange>> PostgresSpecStore::history(const std::string& name) {
  ASSIGN_OR_RETURN(auto history, SpecHistory::open(url_, patience_));
  return history.of(name);
}

Result<SpecChange> PostgresSpecStore::roll_back(const std::string& name,
                                                const std::optional<std::string>& to,
                                                const SpecAuthor& author) {
  ASSIGN_OR_RETURN(auto history, SpecHistory::open(url_, patience_));
  return history.roll_back(name, to, readable_, author);
}

Result<std::string> PostgresSpecStore::promote(const std::string& name, const SpecAuthor& author) {
  ASSIGN_OR_RETURN(auto history, SpecHistory::open(url_, patience_));
  return history.promote(name, author);
}

}  // namespace toolway::persistence::specs
