#include "persistence/schema/migrate.h"

#include <fmt/format.h>

#include "base/fnv.h"
#include "base/try.h"
#include "persistence/postgres/pg_connection.h"
#include "persistence/schema/migrations.h"

namespace toolway::persistence::schema {
namespace {

// Any number, as long as every program that migrates uses the same.
constexpr std::int64_t kLock = 0x746f6f6c776179;

/// Compares what is already applied with what this program has.
Result<unsigned> check_applied(const postgres::SqlRows& applied,
                               const std::vector<Migration>& migrations) {
  unsigned version = 0;
  for (const auto& row : applied) {
    version = static_cast<unsigned>(row.get<std::int64_t>("version"));
    const auto& name = row.get<std::string>("name");
    const auto& checksum = row.get<std::string>("checksum");
    if (version == 0 || version > migrations.size()) {
      return fail(ErrorCode::kInternal,
                  fmt::format("the database has migration {} ({}), but this program knows only {}: "
                              "use a newer toolway",
                              version, name, migrations.size()));
    }
    const auto& known = migrations[version - 1];
    if (migration_checksum(known) != checksum) {
      return fail(
          ErrorCode::kInternal,
          fmt::format("migration {} was applied with a different text (checksum {}, here {}): "
                      "never change an applied migration, add a new one",
                      known.name, checksum, migration_checksum(known)));
    }
  }
  if (version != applied.size()) {
    return fail(ErrorCode::kInternal, "the table schema_migrations has gaps");
  }
  return version;
}

}  // namespace

std::string migration_checksum(const Migration& migration) { return fnv_hex(migration.sql); }

Result<MigrationReport> apply_migrations(const std::string& url,
                                         const std::vector<Migration>& migrations) {
  auto connection = postgres::PgConnection::open(url, postgres::patience_of_a_command());
  if (!connection) return fail(postgres::error_of(connection.error(), "connecting to Postgres"));

  // Held by the session, across all transactions; released when the connection ends.
  auto prepared = connection->execute(
      fmt::format("SELECT pg_advisory_lock({}); "
                  "CREATE TABLE IF NOT EXISTS schema_migrations (version integer PRIMARY KEY, "
                  "name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(), "
                  "checksum text NOT NULL)",
                  kLock));
  // Sent as one query both would be one transaction, and the lock taken by its
  // first statement covers the second.
  if (!prepared) return fail(postgres::error_of(prepared.error(), "preparing schema_migrations"));
  auto applied =
      connection->execute("SELECT version, name, checksum FROM schema_migrations ORDER BY version");
  if (!applied) return fail(postgres::error_of(applied.error(), "reading schema_migrations"));
  ASSIGN_OR_RETURN(auto version, check_applied(*applied, migrations));

  MigrationReport report;
  report.version = version;
  for (auto i = static_cast<std::size_t>(version); i < migrations.size(); ++i) {
    const auto& migration = migrations[i];
    auto done = connection->execute("BEGIN");
    if (done) done = connection->execute(migration.sql);
    if (done) {
      done = connection->execute(
          "INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)",
          {migration.version, migration.name, migration_checksum(migration)});
    }
    if (done) done = connection->execute("COMMIT");
    if (!done) {
      return fail(
          postgres::error_of(done.error(), fmt::format("applying migration {}", migration.name)));
    }
    report.applied.push_back(migration.name);
    report.version = migration.version;
  }
  return report;
}

Result<MigrationReport> migrate(const std::string& url) {
  return apply_migrations(url, embedded_migrations());
}

}  // namespace toolway::persistence::schema
