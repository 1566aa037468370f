#include "persistence/specs/spec_history.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_names.h"
#include "base/try.h"

namespace toolway::persistence::specs {
namespace {

/// The stable version that is in force; null: none.
const SpecChange* stable(const std::vector<SpecChange>& changes) {
  const auto newest = std::find_if(changes.rbegin(), changes.rend(),
                                   [](const auto& one) { return !one.candidate; });
  return newest == changes.rend() || newest->document.empty() ? nullptr : &*newest;
}

Result<const SpecChange*> wanted(const std::vector<SpecChange>& changes, const std::string& name,
                                 const std::optional<std::string>& to) {
  const auto* now = stable(changes);
  if (!to) {
    const auto before = std::find_if(changes.rbegin(), changes.rend(), [now](const auto& one) {
      return !one.candidate && !one.document.empty() && &one != now &&
             (now == nullptr || (one.number < now->number && one.digest != now->digest));
    });
    if (before != changes.rend()) return &*before;
    return fail(ErrorCode::kInvalidSpec,
                fmt::format("'{}' has no earlier version to go back to", name));
  }
  const auto matches = [&to](const SpecChange& one) {
    if (one.document.empty()) return false;
    constexpr std::size_t kMinDigestDigits = 6;
    const std::string_view hex = std::string_view(one.digest).substr(one.digest.find(':') + 1);
    return std::to_string(one.number) == *to || one.digest.starts_with(*to) ||
           (to->size() >= kMinDigestDigits && hex.starts_with(*to));
  };
  const auto found = std::find_if(changes.rbegin(), changes.rend(), matches);
  if (found != changes.rend()) return &*found;
  return fail(ErrorCode::kInvalidSpec,
              fmt::format("'{}' has no version {}: `toolway specs history {}` lists them", name,
                          *to, name));
}

}  // namespace

Result<SpecHistory> SpecHistory::open(const std::string& url, postgres::PgPatience patience) {
  ASSIGN_OR_RETURN(auto rows, SpecRows::open(url, std::move(patience)));
  return SpecHistory(std::move(rows));
}

Result<std::vector<SpecChange>> SpecHistory::of(const std::string& name) {
  ASSIGN_OR_RETURN(
      auto rows,
      rows_.run(
          "SELECT number, what, candidate, coalesce(rollout, 0) AS rollout, enabled, coalesce(digest, '') AS digest, "
          "coalesce(document::text, '') AS document, coalesce(document->>'version', '') AS version, who, note, "
          "to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') AS created FROM tool_specs_history "
          "WHERE tenant_id = 'default' AND namespace || '.' || name = $1 ORDER BY number",
          {name}));
  if (rows.empty()) {
    ASSIGN_OR_RETURN(
        auto names,
        rows_.run(
            "SELECT DISTINCT namespace || '.' || name AS name FROM tool_specs WHERE tenant_id = 'default' ORDER BY 1"));
    std::vector<std::string> known;
    for (const auto& row : names) known.push_back(row.get<std::string>("name"));
    const auto near = nearest_names(name, known);
    return fail(ErrorCode::kUnknownTool,
                fmt::format("the database never had a spec '{}'{}", name,
                            near.empty() ? "" : "; did you mean " + quoted_choices(near) + "?"));
  }
  std::vector<SpecChange> changes;
  for (const auto& row : rows) {
    changes.push_back({.number = row.get<std::int64_t>("number"),
                       .what = row.get<std::string>("what"),
                       .candidate = row.get<bool>("candidate"),
                       .rollout = static_cast<unsigned>(row.get<std::int64_t>("rollout")),
                       .enabled = row.get<bool>("enabled"),
                       .digest = row.get<std::string>("digest"),
                       .document = row.get<std::string>("document"),
                       .version = row.get<std::string>("version"),
                       .who = row.get<std::string>("who"),
                       .note = row.get<std::string>("note"),
                       .created_at = row.get<std::string>("created")});
  }
  return changes;
}

Result<SpecChange> SpecHistory::roll_back(const std::string& name,
                                          const std::optional<std::string>& to, Readable readable,
                                          const SpecAuthor& author) {
  SpecChange chosen;
  auto done = rows_.in_transaction([&]() -> Result<void> {
    ASSIGN_OR_RETURN(auto changes, of(name));
    ASSIGN_OR_RETURN(const auto found, wanted(changes, name, to));
    chosen = *found;
    const auto* now = stable(changes);
    if (now != nullptr && now->digest == chosen.digest && now->enabled == chosen.enabled) {
      return fail(ErrorCode::kInvalidSpec,
                  fmt::format("version {} of '{}' is already in force", chosen.number, name));
    }
    if (auto read = readable(chosen.document); !read) {
      return fail(ErrorCode::kInvalidSpec,
                  fmt::format("this build can no longer read version {} of '{}': {}", chosen.number,
                              name, read.error().message));
    }
    const auto dot = name.find('.');
    return rows_.add({{.ns = name.substr(0, dot),
                       .name = name.substr(dot + 1),
                       .what = "rollback",
                       .enabled = chosen.enabled,
                       .digest = chosen.digest,
                       .document = chosen.document}},
                     author);
  });
  RETURN_IF_ERROR(done);
  return chosen;
}

Result<std::string> SpecHistory::promote(const std::string& name, const SpecAuthor& author) {
  std::string digest;
  auto done = rows_.in_transaction([&]() -> Result<void> {
    ASSIGN_OR_RETURN(auto changes, of(name));
    const auto newest = std::find_if(changes.rbegin(), changes.rend(),
                                     [](const auto& one) { return one.candidate; });
    if (newest == changes.rend() || newest->document.empty()) {
      return fail(
          ErrorCode::kUnknownTool,
          fmt::format("'{}' has no candidate: `toolway specs put FILE --rollout 10` makes one",
                      name));
    }
    digest = newest->digest;
    const auto dot = name.find('.');
    const auto ns = name.substr(0, dot);
    const auto own = name.substr(dot + 1);
    // At one commit, so that no gateway sees one without the other.
    return rows_.add({{.ns = ns,
                       .name = own,
                       .what = "promote",
                       .enabled = newest->enabled,
                       .digest = digest,
                       .document = newest->document},
                      {.ns = ns, .name = own, .what = "promote", .candidate = true}},
                     author);
  });
  RETURN_IF_ERROR(done);
  return digest;
}

}  // namespace toolway::persistence::specs
