#include "persistence/spec_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/json.h"
#include "tools/nearest_names.h"

namespace toolway::persistence {
namespace {

/// Taken before anything is read, so that what is read is still so when it is
/// written. The table's trigger takes the same one.
constexpr const char* kLock = "SELECT pg_advisory_xact_lock(hashtext('tool_specs'))";

Error translate(const PgError& error) {
  if (error.sqlstate == "42P01") {
    return {ErrorCode::kInternal, "the database has no table tool_specs: run `toolway migrate` first"};
  }
  const auto kind = error.sqlstate.substr(0, 2);
  const bool away = kind.empty() || kind == "08" || kind == "57" || kind == "53";
  return {away ? ErrorCode::kStoreUnavailable : ErrorCode::kInternal, "specs in Postgres: " + error.message};
}

}  // namespace

Result<SpecTable> SpecTable::open(const std::string& url) {
  auto connection = PgConnection::open(url);
  if (!connection) return fail(translate(connection.error()));
  return SpecTable(*std::move(connection));
}

Result<PgReply> SpecTable::run(const std::string& sql, const std::vector<std::optional<std::string>>& parameters) {
  auto reply = parameters.empty() ? connection_.execute(sql) : connection_.execute(sql, parameters);
  if (!reply) return fail(translate(reply.error()));
  return *std::move(reply);
}

template <typename Work>
Result<void> SpecTable::in_transaction(Work work) {
  if (auto begun = run("BEGIN"); !begun) return fail(begun.error());
  Result<void> done;
  if (auto locked = run(kLock); !locked) done = fail(locked.error());
  if (done) done = work();
  if (done) {
    auto committed = run("COMMIT");
    return committed ? Result<void>() : fail(committed.error());
  }
  (void)connection_.execute("ROLLBACK");
  return done;
}

Result<std::vector<PutOutcome>> SpecTable::put(std::span<const PutSpec> specs) {
  std::vector<PutOutcome> outcomes;
  auto done = in_transaction([&]() -> Result<void> {
    auto current = run("SELECT namespace || '.' || name, digest, enabled FROM tool_specs_current "
                       "WHERE tenant_id = 'default'");
    if (!current) return fail(current.error());
    std::map<std::string, std::string> known;
    for (const auto& row : current->rows) known[row[0]] = row[1] + row[2];
    OrderedJson rows = OrderedJson::array();
    for (const auto& [spec, enabled] : specs) {
      const auto digest = tools::digest(spec);
      const auto found = known.find(spec.qualified_name());
      const bool same = found != known.end() && found->second == digest + (enabled ? "t" : "f");
      outcomes.push_back(found == known.end() ? PutOutcome::kAdded
                                              : same ? PutOutcome::kUnchanged : PutOutcome::kChanged);
      if (same) continue;
      rows.push_back({{"namespace", spec.ns}, {"name", spec.name}, {"digest", digest}, {"enabled", enabled},
                      {"document", tools::to_document(spec)}});
    }
    if (rows.empty()) return {};
    auto written = run("INSERT INTO tool_specs (namespace, name, digest, enabled, document) "
                       "SELECT namespace, name, digest, enabled, document FROM json_to_recordset($1::json) "
                       "AS r(namespace text, name text, digest text, enabled boolean, document json)",
                       {to_text(rows)});
    return written ? Result<void>() : fail(written.error());
  });
  if (!done) return fail(done.error());
  return outcomes;
}

Result<std::vector<StoredSpec>> SpecTable::list() {
  auto reply = run("SELECT namespace, name, document->>'version', document->>'kind', digest, revision, enabled, "
                   "to_char(created_at, 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') FROM tool_specs_current "
                   "WHERE tenant_id = 'default' ORDER BY namespace, name");
  if (!reply) return fail(reply.error());
  std::vector<StoredSpec> specs;
  for (auto& row : reply->rows) {
    specs.push_back({.ns = row[0], .name = row[1], .version = row[2], .kind = row[3], .digest = row[4],
                     .revision = std::strtoll(row[5].c_str(), nullptr, 10), .enabled = row[6] == "t",
                     .created_at = row[7]});
  }
  return specs;
}

Result<void> SpecTable::remove(std::span<const std::string> names) {
  return in_transaction([&]() -> Result<void> {
    auto current = list();
    if (!current) return fail(current.error());
    std::vector<std::string> known;
    for (const auto& spec : *current) known.push_back(spec.ns + "." + spec.name);
    OrderedJson rows = OrderedJson::array();
    for (const auto& name : names) {
      const auto found = std::find(known.begin(), known.end(), name);
      if (found == known.end()) {
        const auto near = tools::nearest_names(name, known);
        return fail(ErrorCode::kUnknownTool,
                    fmt::format("the database has no spec '{}'{}; nothing was removed", name,
                                near.empty() ? "" : " (did you mean " + tools::quoted_choices(near) + "?)"));
      }
      const auto& spec = (*current)[static_cast<std::size_t>(found - known.begin())];
      rows.push_back({{"namespace", spec.ns}, {"name", spec.name}});
    }
    auto written = run("INSERT INTO tool_specs (namespace, name, removed) "
                       "SELECT DISTINCT namespace, name, true FROM json_to_recordset($1::json) "
                       "AS r(namespace text, name text)",
                       {to_text(rows)});
    return written ? Result<void>() : fail(written.error());
  });
}

}  // namespace toolway::persistence
