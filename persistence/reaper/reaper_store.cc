#include "persistence/reaper/reaper_store.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdlib>

#include "base/try.h"
#include "persistence/store/last_event.h"
#include "persistence/store/recorded_rows.h"
#include "proto/codec.h"

namespace toolway::persistence {
namespace {

/// Of the advisory lock: "reaper" in ASCII.
constexpr std::int64_t kLock = 0x726561706572;

Result<CallFacts> facts_of(const SqlRow& row) {
  ASSIGN_OR_RETURN(auto request, proto::decode_call(row.get<std::string>("request")));
  CallFacts facts;
  facts.request = std::move(request);
  facts.published = position_of(row);
  if (const auto started = row.nullable<std::int64_t>("started"))
    facts.started_at = from_unix_us(*started);
  ASSIGN_OR_RETURN(facts.last, last_event(row));
  return facts;
}

Error query_error(const PgError& error) {
  return {
      ErrorCode::kStoreUnavailable,
      fmt::format("the reaper's query to Postgres failed: {} {}", error.sqlstate, error.message),
      {}};
}

}  // namespace

std::string first_call_id(WallTime time) {
  const auto hex = fmt::format("{:012x}", to_unix_us(time) / 1000);
  return hex.substr(0, 8) + "-" + hex.substr(8) + "-0000-0000-000000000000";
}

WallTime call_id_time(const std::string& call_id) {
  const auto hex = call_id.substr(0, 8) + call_id.substr(9, 4);
  return from_unix_us(std::strtoll(hex.c_str(), nullptr, 16) * 1000);
}

Result<bool> ReaperStore::elected() {
  if (!connection_ || connection_->broken()) {
    elected_ = false;
    connection_.reset();
    auto opened = PgConnection::open(url_, patience_);
    if (!opened) return fail(query_error(opened.error()));
    connection_ = std::move(*opened);
    // What others have locked delays neither the rounds nor the end.
    RETURN_IF_ERROR(ask("SET lock_timeout = '2s'"));
  }
  // Asked each time: an answer is also the proof that the connection holds.
  auto rows = ask(fmt::format("SELECT {} AS elected",
                              elected_ ? "true" : fmt::format("pg_try_advisory_lock({})", kLock)));
  RETURN_IF_ERROR(rows);
  elected_ = rows->at(0).get<bool>("elected");
  return elected_;
}

void ReaperStore::resign() {
  connection_.reset();
  elected_ = false;
}

Result<SqlRows> ReaperStore::look(const std::string& sql,
                                  const std::vector<SqlParameter>& parameters) {
  if (!connection_) return fail(ErrorCode::kStoreUnavailable, "Postgres cannot be reached");
  auto reply = connection_->execute(sql, parameters);
  if (reply) return std::move(*reply);
  if (connection_->broken()) resign();
  return fail(query_error(reply.error()));
}

Result<SqlRows> ReaperStore::ask(const std::string& sql,
                                 const std::vector<SqlParameter>& parameters) {
  if (!connection_) return fail(ErrorCode::kStoreUnavailable, "Postgres cannot be reached");
  auto reply = connection_->execute(sql, parameters);
  if (reply) return std::move(*reply);
  // Whatever it was: start over with a new connection and a new election.
  resign();
  return fail(query_error(reply.error()));
}

Result<std::vector<CallFacts>> ReaperStore::facts_where(const std::string& condition,
                                                        const std::vector<SqlParameter>& values) {
  static const std::string select = fmt::format(
      "SELECT c.request, c.incarnation, c.sequence, "
      "(SELECT (extract(epoch FROM max(time)) * 1000000)::bigint FROM call_events "
      "WHERE call_id = c.call_id AND type = 'started') AS started, {} FROM calls c {} WHERE ",
      kLastEventColumns, fmt::format(kLastEventJoins, "c.call_id"));
  ASSIGN_OR_RETURN(auto rows, ask(select + condition, values));
  std::vector<CallFacts> all;
  all.reserve(rows.size());
  for (const auto& row : rows) {
    auto facts = facts_of(row);
    // One that cannot be read must not stop us from looking at the others.
    if (!facts) {
      spdlog::warn("the reaper cannot read a call: {}", facts.error().message);
      continue;
    }
    all.push_back(std::move(*facts));
  }
  return all;
}

Result<std::vector<CallFacts>> ReaperStore::incomplete(const std::string& after,
                                                       const std::string& before,
                                                       std::size_t limit) {
  // Ids first, from two indexes: among thousands of calls hardly one is incomplete. OFFSET 0 keeps
  // the look into completions one look per call. Without it the planner may join the two ranges,
  // and it takes ids newer than its statistics, which are the ones asked for, for one row: it then
  // compares every call with every completion.
  return facts_where(
      "c.call_id = ANY (ARRAY(SELECT i.call_id FROM calls i "
      "WHERE i.call_id > $1::uuid AND i.call_id < $2::uuid AND NOT EXISTS "
      "(SELECT FROM completions d WHERE d.call_id = i.call_id OFFSET 0) "
      "ORDER BY i.call_id LIMIT $3::bigint)) ORDER BY c.call_id",
      {after, before, limit});
}

Result<std::vector<CallFacts>> ReaperStore::facts(const std::vector<std::string>& call_ids) {
  return facts_where("c.call_id = ANY ($1::uuid[])", {SqlParameter::array(call_ids)});
}

Result<std::vector<std::string>> ReaperStore::completed(const std::vector<std::string>& call_ids) {
  ASSIGN_OR_RETURN(auto rows,
                   ask("SELECT call_id FROM completions WHERE call_id = ANY ($1::uuid[])",
                       {SqlParameter::array(call_ids)}));
  std::vector<std::string> ids;
  ids.reserve(rows.size());
  for (const auto& row : rows) ids.push_back(row.get<std::string>("call_id"));
  return ids;
}

Result<std::vector<RecordedEvent>> ReaperStore::retries(const EventPosition& after, WallTime oldest,
                                                        std::size_t limit) {
  // The bound of ids leaves out the days before.
  ASSIGN_OR_RETURN(
      auto rows,
      ask("SELECT incarnation, sequence, event, NULL AS result FROM call_events WHERE type = 'retry_at' "
          "AND (incarnation, sequence) > ($1::bigint, $2::bigint) AND call_id >= $3::uuid "
          "ORDER BY incarnation, sequence LIMIT $4::bigint",
          {after.incarnation, after.sequence, first_call_id(oldest), limit}));
  std::vector<RecordedEvent> retries;
  retries.reserve(rows.size());
  for (const auto& row : rows) {
    auto retry = recorded_event(row);
    // The page must be as long as what was read.
    if (!retry) spdlog::warn("the reaper cannot read a RetryAt: {}", retry.error().message);
    retries.push_back(retry ? std::move(*retry) : RecordedEvent{position_of(row), {}});
  }
  return retries;
}

Result<v1::CallRequest> ReaperStore::request(const std::string& call_id) {
  ASSIGN_OR_RETURN(auto rows,
                   ask("SELECT request, arguments FROM calls WHERE call_id = $1::uuid", {call_id}));
  if (rows.empty()) return fail(ErrorCode::kUnknownCall, "call " + call_id + " is not recorded");
  auto request = proto::decode_call(rows.front().get<std::string>("request"));
  auto arguments = rows.front().nullable<std::string>("arguments");
  if (request && arguments) request->set_arguments(*std::move(arguments));
  return request;
}

Result<std::vector<v1::SessionRecord>> ReaperStore::idle_sessions(WallTime before,
                                                                  std::size_t limit) {
  // OFFSET 0: one look per call, as in incomplete().
  ASSIGN_OR_RETURN(
      auto rows,
      ask("WITH t AS (SELECT 'epoch'::timestamptz + $1::bigint * interval '1 microsecond' AS at) "
          "SELECT s.record FROM sessions s, t WHERE s.state = 'open' "
          "AND greatest(s.active_at, s.updated_at) < t.at "
          "AND coalesce((SELECT f.completed_at FROM completions f WHERE f.session_key = s.session_key "
          "ORDER BY f.incarnation DESC, f.sequence DESC LIMIT 1) < t.at, true) "
          "AND coalesce((SELECT e.time FROM call_events e WHERE e.session_key = s.session_key "
          "ORDER BY e.incarnation DESC, e.sequence DESC LIMIT 1) < t.at, true) "
          "AND NOT EXISTS (SELECT FROM calls c WHERE c.session_key = s.session_key "
          "AND NOT EXISTS (SELECT FROM completions f WHERE f.call_id = c.call_id OFFSET 0) OFFSET 0) "
          "LIMIT $2::bigint",
          {to_unix_us(before), limit}));
  std::vector<v1::SessionRecord> records;
  for (const auto& row : rows) {
    ASSIGN_OR_RETURN(auto record, proto::decode_session(row.get<std::string>("record")));
    records.push_back(std::move(record));
  }
  return records;
}

Result<std::optional<std::string>> ReaperStore::layout() {
  ASSIGN_OR_RETURN(auto rows, ask("SELECT layout FROM stream_layout"));
  if (rows.empty()) return std::optional<std::string>();
  return std::optional(rows.front().get<std::string>("layout"));
}

}  // namespace toolway::persistence
