#include "persistence/specs/spec_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/json.h"
#include "base/nearest_names.h"
#include "base/try.h"

namespace toolway::persistence::specs {

Result<SpecTable> SpecTable::open(const std::string& url, postgres::PgPatience patience) {
  ASSIGN_OR_RETURN(auto rows, SpecRows::open(url, std::move(patience)));
  return SpecTable(std::move(rows));
}

Result<std::vector<PutOutcome>> SpecTable::put(std::span<const PutSpec> specs,
                                               const SpecAuthor& author) {
  std::vector<PutOutcome> outcomes;
  auto done = rows_.in_transaction([&]() -> Result<void> {
    ASSIGN_OR_RETURN(auto current, list());
    std::map<std::pair<std::string, bool>, std::string> known;  // by name, and whether a candidate
    const auto key = [](const std::string& ns, const std::string& name, unsigned rollout) {
      return std::pair{ns + "." + name, rollout > 0};
    };
    const auto state = [](const std::string& digest, bool enabled, unsigned rollout) {
      return fmt::format("{} {} {}", digest, enabled, rollout);
    };
    for (const auto& one : current) {
      known[key(one.ns, one.name, one.rollout)] = state(one.digest, one.enabled, one.rollout);
    }
    std::vector<SpecRows::NewRow> rows;
    for (const auto& [spec, enabled, rollout, origin, line] : specs) {
      const auto digest = tools::model::digest(spec);
      const auto wanted = state(digest, enabled, rollout);
      auto& place = known[key(spec.ns, spec.name, rollout)];
      const bool same = place == wanted;
      outcomes.push_back(place.empty() ? PutOutcome::kAdded
                         : same        ? PutOutcome::kUnchanged
                                       : PutOutcome::kChanged);
      place = wanted;
      if (same) continue;
      rows.push_back({.ns = spec.ns,
                      .name = spec.name,
                      .what = "put",
                      .candidate = rollout > 0,
                      .enabled = enabled,
                      .rollout = rollout,
                      .digest = digest,
                      .document = to_text(tools::model::to_document(spec))});
    }
    for (const auto& [spec, enabled, rollout, origin, line] : specs) {
      if (rollout == 0) continue;
      const auto stable = known.find({spec.qualified_name(), false});
      if (stable == known.end() && spec.kind != tools::model::Kind::kNative) {
        return fail(
            ErrorCode::kInvalidSpec,
            fmt::format(
                "the database has no stable version of '{}' for a candidate to run alongside: put "
                "it without `rollout` first; nothing was put",
                spec.qualified_name()));
      }
      if (stable != known.end() && stable->second.starts_with(tools::model::digest(spec))) {
        return fail(
            ErrorCode::kInvalidSpec,
            fmt::format("the candidate of '{}' is the same as its stable version; nothing was put",
                        spec.qualified_name()));
      }
    }
    return rows_.add(rows, author);
  });
  RETURN_IF_ERROR(done);
  return outcomes;
}

Result<std::vector<StoredSpec>> SpecTable::list() {
  ASSIGN_OR_RETURN(
      auto rows,
      rows_.run(
          "SELECT namespace, name, coalesce(document->>'version', '') AS version, coalesce(document->>'kind', '') AS kind, "
          "digest, revision, enabled, coalesce(rollout, 0) AS rollout, "
          "to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') AS created "
          "FROM tool_specs_current WHERE tenant_id = 'default' ORDER BY namespace, name, candidate"));
  std::vector<StoredSpec> specs;
  for (const auto& row : rows) {
    specs.push_back({.ns = row.get<std::string>("namespace"),
                     .name = row.get<std::string>("name"),
                     .version = row.get<std::string>("version"),
                     .kind = row.get<std::string>("kind"),
                     .digest = row.get<std::string>("digest"),
                     .revision = row.get<std::int64_t>("revision"),
                     .enabled = row.get<bool>("enabled"),
                     .rollout = static_cast<unsigned>(row.get<std::int64_t>("rollout")),
                     .created_at = row.get<std::string>("created")});
  }
  return specs;
}

Result<void> SpecTable::remove(std::span<const std::string> names, Which which,
                               const SpecAuthor& author) {
  return rows_.in_transaction([&]() -> Result<void> {
    ASSIGN_OR_RETURN(auto current, list());
    std::vector<std::string> known;
    for (const auto& spec : current) {
      if (which == Which::kAll || spec.rollout > 0) known.push_back(spec.qualified_name());
    }
    std::vector<SpecRows::NewRow> rows;
    for (const auto& name : std::set<std::string>(names.begin(), names.end())) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        const auto near = nearest_names(name, known);
        return fail(
            ErrorCode::kUnknownTool,
            fmt::format("the database has no {} '{}'{}; nothing was removed",
                        which == Which::kAll ? "spec" : "candidate of", name,
                        near.empty() ? "" : " (did you mean " + quoted_choices(near) + "?)"));
      }
      for (const auto& spec : current) {
        if (spec.qualified_name() != name || (which == Which::kCandidate && spec.rollout == 0))
          continue;
        rows.push_back(
            {.ns = spec.ns, .name = spec.name, .what = "remove", .candidate = spec.rollout > 0});
      }
    }
    return rows_.add(rows, author);
  });
}

}  // namespace toolway::persistence::specs
