#include "persistence/specs/spec_rows.h"

#include "base/json.h"

namespace toolway::persistence::specs {
namespace {

/// Taken before anything is read, so that what is read is still so when it is
/// written. The table's trigger takes the same one.
constexpr const char* kLock = "SELECT pg_advisory_xact_lock(hashtext('tool_specs'))";

Error translate(const postgres::PgError& error) {
  if (postgres::is_missing_table(error)) {
    return {ErrorCode::kInternal,
            "the database has no table tool_specs: run `toolway migrate` first"};
  }
  return postgres::error_of(error, "specs in Postgres");
}

}  // namespace

Result<SpecRows> SpecRows::open(const std::string& url, postgres::PgPatience patience) {
  auto connection = postgres::PgConnection::open(url, std::move(patience));
  if (!connection) return fail(translate(connection.error()));
  return SpecRows(*std::move(connection));
}

Result<postgres::SqlRows> SpecRows::run(const std::string& sql,
                                        const std::vector<postgres::SqlParameter>& parameters) {
  auto rows = connection_.execute(sql, parameters);
  if (!rows) return fail(translate(rows.error()));
  return *std::move(rows);
}

Result<void> SpecRows::begin() {
  RETURN_IF_ERROR(run("BEGIN"));
  auto locked = run(kLock);
  return locked ? Result<void>() : end(fail(locked.error()));
}

Result<void> SpecRows::end(Result<void> done) {
  if (done) {
    RETURN_IF_ERROR(run("COMMIT"));
    return {};
  }
  (void)connection_.execute("ROLLBACK");
  return done;
}

Result<void> SpecRows::add(const std::vector<NewRow>& rows, const SpecAuthor& author) {
  if (rows.empty()) return {};
  OrderedJson written = OrderedJson::array();
  for (const auto& row : rows) {
    OrderedJson one = {{"namespace", row.ns},    {"name", row.name},
                       {"what", row.what},       {"candidate", row.candidate},
                       {"enabled", row.enabled}, {"removed", row.document.empty()}};
    if (!row.document.empty()) one.update({{"digest", row.digest}, {"document", row.document}});
    if (row.rollout > 0) one["rollout"] = row.rollout;
    written.push_back(std::move(one));
  }
  if (author.caller) {
    const auto& caller = *author.caller;
    // The audit's trigger reads it.
    RETURN_IF_ERROR(run("SELECT set_config('toolway.caller', $1, true)",
                        {to_text(OrderedJson{{"tenant", caller.tenant_id},
                                             {"user", caller.user_id},
                                             {"method", caller.method},
                                             {"key", caller.key_id}})}));
  }
  // The document goes as text, so that it is stored as it was written.
  RETURN_IF_ERROR(run(
      "INSERT INTO tool_specs (namespace, name, digest, document, enabled, removed, candidate, rollout, "
      "what, who, note) SELECT namespace, name, digest, document::json, enabled, removed, candidate, "
      "rollout, what, $2, $3 FROM json_to_recordset($1::json) AS r(namespace text, name text, digest text, "
      "document text, enabled boolean, removed boolean, candidate boolean, rollout smallint, what text)",
      {to_text(written), author.who, author.note}));
  return {};
}

}  // namespace toolway::persistence::specs
