#include "persistence/specs/postgres_spec_source.h"

#include <fmt/format.h>

#include <cstdlib>

namespace toolway::persistence {
namespace {

std::string text_of(const Cell& cell) { return cell.value_or(""); }
std::int64_t number_of(const Cell& cell) { return std::strtoll(text_of(cell).c_str(), nullptr, 10); }
/// Where a row's version is kept: a name may have a stable one, and a candidate.
std::string place_of(const std::vector<Cell>& row) {
  return text_of(row[0]) + "." + text_of(row[1]) + (text_of(row[6]) == "t" ? " candidate" : "");
}

}  // namespace

PostgresSpecSource::PostgresSpecSource(std::string url, std::chrono::milliseconds interval)
    : url_(std::move(url)), interval_(interval) {}

PostgresSpecSource::~PostgresSpecSource() = default;

std::optional<tools::SourceState> PostgresSpecSource::look(std::stop_token stop) {
  const auto end = [this] { cutoff_->set(std::chrono::steady_clock::now()); };
  const std::stop_callback ended(std::move(stop), end);
  found_.clear();
  bool changed = first_;
  auto why = read(changed);
  changed = changed || why.empty() != away_.empty();
  away_ = std::move(why);
  first_ = false;
  if (!changed) return std::nullopt;
  return state();
}

std::string PostgresSpecSource::query(const std::string& sql, const std::vector<std::string>& parameters, Rows& rows) {
  if (!connection_) {
    connection_ = open_query_connection(url_, std::chrono::seconds(5), limit_, cutoff_);
    if (!connection_) return "Postgres cannot be reached";
    afresh_ = true;
  }
  const auto failed = connection_->query(sql, parameters, rows);
  if (!failed) return "";
  if (failed->failure == QueryFailure::kBroken || failed->failure == QueryFailure::kSilent) {
    connection_.reset();
    return failed->message;
  }
  return failed->failure == QueryFailure::kStatement
             ? "the database is not up to date: run `toolway migrate` (" + failed->message + ")"
             : failed->message;
}

std::string PostgresSpecSource::read(bool& changed) {
  Rows newest;
  auto why = query("SELECT max(revision) FROM tool_specs WHERE tenant_id = 'default'", {}, newest);
  if (!why.empty()) return why;
  const auto highest = newest.empty() || newest[0].empty() ? 0 : number_of(newest[0][0]);
  // A lower one: the database was restored, or is a different one.
  if (!afresh_ && highest == revision_) return "";
  const bool whole = afresh_ || highest < revision_;
  Rows rows;
  // Only rows up to `highest` are sure to be read together with all before them.
  why = query("SELECT DISTINCT ON (namespace, name, candidate) namespace, name, revision, removed, enabled, document, "
              "candidate, rollout "
              "FROM tool_specs WHERE tenant_id = 'default' AND revision > $1 AND revision <= $2 "
              "ORDER BY namespace, name, candidate, revision DESC",
              {std::to_string(whole ? 0 : revision_), std::to_string(highest)}, rows);
  if (!why.empty()) return why;
  // The connection may have been replaced in between; then the next look reads all.
  auto before = whole ? std::exchange(rows_, {}) : std::map<std::string, Row>();
  for (const auto& row : rows) {
    const auto name = place_of(row);
    if (const auto known = before.find(name); known != before.end()) rows_[name].good = known->second.good;
    take(row);
  }
  revision_ = highest;
  afresh_ = false;
  changed = true;
  return "";
}

void PostgresSpecSource::take(const std::vector<Cell>& row) {
  const auto name = text_of(row[0]) + "." + text_of(row[1]);
  if (text_of(row[3]) == "t") {
    rows_.erase(place_of(row));
    return;
  }
  auto& known = rows_[place_of(row)];
  known.mistake.reset();
  const auto origin = fmt::format("tool_specs, revision {}", number_of(row[2]));
  auto spec = tools::spec_of_document(text_of(row[5]));
  if (spec && spec->qualified_name() != name) {
    spec = fail(ErrorCode::kInvalidSpec, fmt::format("the row is for '{}', but its document is for '{}'", name,
                                                     spec->qualified_name()));
  }
  if (!spec) {
    known.mistake = tools::Mistake{origin, 1, spec.error().message};
    found_.push_back(*known.mistake);
    return;
  }
  std::vector<tools::ReadSpec> specs;
  specs.push_back({.spec = *std::move(spec), .line = 0, .enabled = text_of(row[4]) == "t",
                   .rollout = static_cast<unsigned>(number_of(row[7]))});
  known.good = tools::make_part(origin, std::move(specs));
}

tools::SourceState PostgresSpecSource::state() {
  tools::SourceState state;
  for (const auto& [name, row] : rows_) {
    if (row.good) state.parts.push_back(row.good);
    if (row.mistake) state.mistakes.push_back(*row.mistake);
  }
  state.found = std::move(found_);
  state.away = away_;
  return state;
}

}  // namespace toolway::persistence
