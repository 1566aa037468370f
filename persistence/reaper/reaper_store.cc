#include "persistence/reaper/reaper_store.h"

#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <cstdlib>

#include "persistence/store/last_event.h"
#include "persistence/postgres/pqxx_query.h"
#include "persistence/store/recorded_rows.h"
#include "proto/codec.h"

namespace toolway::persistence {
namespace {

/// Of the advisory lock: "reaper" in ASCII.
constexpr std::int64_t kLock = 0x726561706572;

/// NULL comes as an empty text, and no column here is empty otherwise.
std::vector<Cell> cells_of(const std::vector<std::string>& row) {
  std::vector<Cell> cells;
  cells.reserve(row.size());
  for (const auto& text : row) cells.push_back(text.empty() ? Cell() : Cell(text));
  return cells;
}

Result<CallFacts> facts_of(const std::vector<std::string>& row) {
  const auto cells = cells_of(row);
  auto request = proto::decode_call(bytes_of_bytea(cells[0].value_or("")));
  if (!request) return fail(std::move(request.error()));
  CallFacts facts;
  facts.request = std::move(*request);
  facts.published = {static_cast<std::int64_t>(to_number(cells[1])), to_number(cells[2])};
  if (cells[3]) facts.started_at = from_unix_us(static_cast<std::int64_t>(to_number(cells[3])));
  auto last = last_event(cells, 4);
  if (!last) return fail(std::move(last.error()));
  facts.last = std::move(*last);
  return facts;
}

/// Of ids: they need no quoting.
std::string array_of(const std::vector<std::string>& ids) { return fmt::format("{{{}}}", fmt::join(ids, ",")); }

Error error_of(const PgError& error) {
  return {ErrorCode::kStoreUnavailable,
          fmt::format("the reaper's query to Postgres failed: {} {}", error.sqlstate,
                      error.message),
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
    if (!opened) return fail(error_of(opened.error()));
    connection_ = std::move(*opened);
    // What others have locked delays neither the rounds nor the end.
    if (auto bounded = ask("SET lock_timeout = '2s'", {}); !bounded) return fail(std::move(bounded.error()));
  }
  // Asked each time: an answer is also the proof that the connection holds.
  auto reply = ask(elected_ ? "SELECT true" : fmt::format("SELECT pg_try_advisory_lock({})", kLock),
                   {});
  if (!reply) return fail(std::move(reply.error()));
  elected_ = reply->rows.at(0).at(0) == "t";
  return elected_;
}

void ReaperStore::resign() {
  connection_.reset();
  elected_ = false;
}

Result<PgReply> ReaperStore::look(const std::string& sql,
                                  const std::vector<std::optional<std::string>>& parameters) {
  if (!connection_) return fail(ErrorCode::kStoreUnavailable, "Postgres cannot be reached");
  auto reply = connection_->execute(sql, parameters);
  if (reply) return std::move(*reply);
  if (connection_->broken()) resign();
  return fail(error_of(reply.error()));
}

Result<PgReply> ReaperStore::ask(const std::string& sql,
                                 const std::vector<std::optional<std::string>>& parameters) {
  if (!connection_) return fail(ErrorCode::kStoreUnavailable, "Postgres cannot be reached");
  auto reply = connection_->execute(sql, parameters);
  if (reply) return std::move(*reply);
  // Whatever it was: start over with a new connection and a new election.
  resign();
  return fail(error_of(reply.error()));
}

Result<std::vector<CallFacts>> ReaperStore::facts_where(
    const std::string& condition, const std::vector<std::optional<std::string>>& values) {
  static const std::string select = fmt::format(
      "SELECT c.request, c.incarnation, c.sequence, "
      "(SELECT (extract(epoch FROM max(time)) * 1000000)::bigint FROM call_events "
      "WHERE call_id = c.call_id AND type = 'started'), {} FROM calls c {} WHERE ",
      kLastEventColumns, fmt::format(kLastEventJoins, "c.call_id"));
  auto reply = ask(select + condition, values);
  if (!reply) return fail(std::move(reply.error()));
  std::vector<CallFacts> all;
  all.reserve(reply->rows.size());
  for (const auto& row : reply->rows) {
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
  // Ids first, from two indexes: among thousands of calls hardly one is incomplete. OFFSET 0 keeps the look into
  // completions one look per call. Without it the planner may join the two ranges, and it takes ids newer than its
  // statistics, which are the ones asked for, for one row: it then compares every call with every completion.
  return facts_where(
      "c.call_id = ANY (ARRAY(SELECT i.call_id FROM calls i "
      "WHERE i.call_id > $1::uuid AND i.call_id < $2::uuid AND NOT EXISTS "
      "(SELECT FROM completions d WHERE d.call_id = i.call_id OFFSET 0) "
      "ORDER BY i.call_id LIMIT $3::bigint)) ORDER BY c.call_id",
      {after, before, std::to_string(limit)});
}

Result<std::vector<CallFacts>> ReaperStore::facts(const std::vector<std::string>& call_ids) {
  return facts_where("c.call_id = ANY ($1::uuid[])", {array_of(call_ids)});
}

Result<std::vector<std::string>> ReaperStore::completed(const std::vector<std::string>& call_ids) {
  auto reply = ask("SELECT call_id FROM completions WHERE call_id = ANY ($1::uuid[])", {array_of(call_ids)});
  if (!reply) return fail(std::move(reply.error()));
  std::vector<std::string> ids;
  ids.reserve(reply->rows.size());
  for (auto& row : reply->rows) ids.push_back(std::move(row[0]));
  return ids;
}

Result<std::vector<RecordedEvent>> ReaperStore::retries(const EventPosition& after, WallTime oldest,
                                                        std::size_t limit) {
  // The bound of ids leaves out the days before.
  auto reply = ask(
      "SELECT incarnation, sequence, event, NULL FROM call_events WHERE type = 'retry_at' "
      "AND (incarnation, sequence) > ($1::bigint, $2::bigint) AND call_id >= $3::uuid "
      "ORDER BY incarnation, sequence LIMIT $4::bigint",
      {std::to_string(after.incarnation), std::to_string(after.sequence), first_call_id(oldest), std::to_string(limit)});
  if (!reply) return fail(std::move(reply.error()));
  std::vector<RecordedEvent> retries;
  retries.reserve(reply->rows.size());
  for (const auto& row : reply->rows) {
    auto retry = recorded_event(cells_of(row));
    // The page must be as long as what was read.
    if (!retry) spdlog::warn("the reaper cannot read a RetryAt: {}", retry.error().message);
    retries.push_back(retry ? std::move(*retry)
                            : RecordedEvent{{static_cast<std::int64_t>(to_number(row[0])), to_number(row[1])}, {}});
  }
  return retries;
}

Result<v1::CallRequest> ReaperStore::request(const std::string& call_id) {
  auto reply = ask("SELECT request, arguments::text FROM calls WHERE call_id = $1::uuid", {call_id});
  if (!reply) return fail(std::move(reply.error()));
  if (reply->rows.empty()) return fail(ErrorCode::kUnknownCall, "call " + call_id + " is not recorded");
  auto request = proto::decode_call(bytes_of_bytea(reply->rows[0][0]));
  if (request && !reply->rows[0][1].empty()) request->set_arguments(reply->rows[0][1]);
  return request;
}

Result<std::vector<v1::SessionRecord>> ReaperStore::idle_sessions(WallTime before,
                                                                  std::size_t limit) {
  // OFFSET 0: one look per call, as in incomplete().
  auto reply = ask(
      "WITH t AS (SELECT 'epoch'::timestamptz + $1::bigint * interval '1 microsecond' AS at) "
      "SELECT s.record FROM sessions s, t WHERE s.state = 'open' "
      "AND greatest(s.active_at, s.updated_at) < t.at "
      "AND coalesce((SELECT f.completed_at FROM completions f WHERE f.session_key = s.session_key "
      "ORDER BY f.incarnation DESC, f.sequence DESC LIMIT 1) < t.at, true) "
      "AND coalesce((SELECT e.time FROM call_events e WHERE e.session_key = s.session_key "
      "ORDER BY e.incarnation DESC, e.sequence DESC LIMIT 1) < t.at, true) "
      "AND NOT EXISTS (SELECT FROM calls c WHERE c.session_key = s.session_key "
      "AND NOT EXISTS (SELECT FROM completions f WHERE f.call_id = c.call_id OFFSET 0) OFFSET 0) "
      "LIMIT $2::bigint",
      {std::to_string(to_unix_us(before)), std::to_string(limit)});
  if (!reply) return fail(std::move(reply.error()));
  std::vector<v1::SessionRecord> records;
  for (const auto& row : reply->rows) {
    auto record = proto::decode_session(bytes_of_bytea(row[0]));
    if (!record) return fail(std::move(record.error()));
    records.push_back(std::move(*record));
  }
  return records;
}

Result<std::optional<std::string>> ReaperStore::layout() {
  auto reply = ask("SELECT layout FROM stream_layout", {});
  if (!reply) return fail(std::move(reply.error()));
  if (reply->rows.empty()) return std::optional<std::string>();
  return std::optional(reply->rows[0][0]);
}

}  // namespace toolway::persistence
