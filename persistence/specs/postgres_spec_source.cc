#include "persistence/specs/postgres_spec_source.h"

#include <fmt/format.h>

#include <utility>

#include "tools/executors/kind_types.h"

namespace toolway::persistence::specs {
namespace {

/// Where a row's version is kept: a name may have a stable one, and a candidate.
std::string place_of(const postgres::SqlRow& row) {
  return row.get<std::string>("namespace") + "." + row.get<std::string>("name") +
         (row.get<bool>("candidate") ? " candidate" : "");
}

}  // namespace

PostgresSpecSource::PostgresSpecSource(std::string url, std::chrono::milliseconds interval,
                                       ReadUpTo read_up_to)
    : url_(std::move(url)),
      interval_(interval),
      read_up_to_(std::move(read_up_to)),
      patience_(postgres::patience_of_a_reader(std::chrono::seconds(5),
                                               std::make_shared<postgres::PgCutoff>())) {}

PostgresSpecSource::~PostgresSpecSource() = default;

std::optional<tools::loaders::SourceState> PostgresSpecSource::look(std::stop_token stop) {
  const auto end = [this] { patience_.cutoff->end(); };
  const std::stop_callback ended(std::move(stop), end);
  found_.clear();
  bool changed = first_;
  auto why = read(changed);
  changed = changed || why.empty() != away_.empty();
  away_ = std::move(why);
  first_ = false;
  if (read_up_to_) read_up_to_->store(revision_);
  if (!changed) return std::nullopt;
  return state();
}

tl::expected<postgres::SqlRows, std::string> PostgresSpecSource::query(
    const std::string& sql, const std::vector<postgres::SqlParameter>& parameters) {
  if (!connection_) {
    auto opened =
        postgres::PgConnection::open(url_, patience_, postgres::PgAccess::kReadOnly, limit_);
    if (!opened) return tl::unexpected<std::string>("Postgres cannot be reached");
    connection_ = std::move(*opened);
    afresh_ = true;
  }
  auto rows = connection_->execute(sql, parameters);
  if (rows) return *std::move(rows);
  if (connection_->broken()) connection_.reset();
  const auto message = postgres::message_without_values(rows.error());
  return tl::unexpected(postgres::code_of(rows.error().failure) == ErrorCode::kInternal
                            ? "the database is not up to date: run `toolway migrate` (" + message +
                                  ")"
                            : message);
}

std::string PostgresSpecSource::read(bool& changed) {
  const auto newest = query(
      "SELECT coalesce(max(revision), 0) AS revision FROM tool_specs WHERE tenant_id = 'default'");
  if (!newest) return newest.error();
  const auto highest = newest->at(0).get<std::int64_t>("revision");
  // A lower one: the database was restored, or is a different one.
  if (!afresh_ && highest == revision_) return "";
  const bool whole = afresh_ || highest < revision_;
  // Only rows up to `highest` are sure to be read together with all before them.
  const auto rows = query(
      "SELECT DISTINCT ON (namespace, name, candidate) namespace, name, revision, removed, enabled, document, "
      "candidate, coalesce(rollout, 0) AS rollout "
      "FROM tool_specs WHERE tenant_id = 'default' AND revision > $1 AND revision <= $2 "
      "ORDER BY namespace, name, candidate, revision DESC",
      {whole ? 0 : revision_, highest});
  if (!rows) return rows.error();
  // The connection may have been replaced in between; then the next look reads all.
  auto before = whole ? std::exchange(versions_, {}) : std::map<std::string, Version>();
  for (const auto& row : *rows) {
    const auto name = place_of(row);
    if (const auto known = before.find(name); known != before.end())
      versions_[name].good = known->second.good;
    take(row);
  }
  revision_ = highest;
  afresh_ = false;
  changed = true;
  return "";
}

void PostgresSpecSource::take(const postgres::SqlRow& row) {
  const auto name = row.get<std::string>("namespace") + "." + row.get<std::string>("name");
  if (row.get<bool>("removed")) {
    versions_.erase(place_of(row));
    return;
  }
  auto& known = versions_[place_of(row)];
  known.mistake.reset();
  const auto origin = fmt::format("tool_specs, revision {}", row.get<std::int64_t>("revision"));
  auto spec = tools::specs::spec_of_document(row.get<std::string>("document"),
                                             tools::executors::kind_types());
  if (spec && spec->qualified_name() != name) {
    spec = fail(ErrorCode::kInvalidSpec,
                fmt::format("the row is for '{}', but its document is for '{}'", name,
                            spec->qualified_name()));
  }
  if (!spec) {
    known.mistake = toolway::Mistake{origin, spec.error().message, 1};
    found_.push_back(*known.mistake);
    return;
  }
  std::vector<tools::specs::ReadSpec> specs;
  specs.push_back({.spec = *std::move(spec),
                   .line = 0,
                   .enabled = row.get<bool>("enabled"),
                   .rollout = static_cast<unsigned>(row.get<std::int64_t>("rollout"))});
  known.good = tools::loaders::make_part(origin, std::move(specs));
}

tools::loaders::SourceState PostgresSpecSource::state() {
  tools::loaders::SourceState state;
  for (const auto& [name, version] : versions_) {
    if (version.good) state.parts.push_back(version.good);
    if (version.mistake) state.mistakes.push_back(*version.mistake);
  }
  state.found = std::move(found_);
  state.away = away_;
  return state;
}

}  // namespace toolway::persistence::specs
