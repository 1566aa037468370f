#include "persistence/reaper/recorded_calls.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdlib>

#include "base/try.h"
#include "persistence/store/call_search.h"
#include "persistence/store/last_event.h"
#include "persistence/store/recorded_rows.h"
#include "proto/codec.h"

namespace toolway::persistence::reaper {
namespace {

Result<ReapFacts> facts_of(const postgres::SqlRow& row) {
  ASSIGN_OR_RETURN(auto request, proto::decode_call(row.get<std::string>("request")));
  ReapFacts facts;
  facts.request = std::move(request);
  facts.published = store::position_of(row);
  if (const auto started = row.nullable<std::int64_t>("started"))
    facts.started_at = from_unix_us(*started);
  ASSIGN_OR_RETURN(facts.last, store::last_event(row));
  return facts;
}

}  // namespace

WallTime call_id_time(const std::string& call_id) {
  const auto hex = call_id.substr(0, 8) + call_id.substr(9, 4);
  return from_unix_us(std::strtoll(hex.c_str(), nullptr, 16) * 1000);
}

Result<std::vector<ReapFacts>> RecordedCalls::facts_where(
    const std::string& condition, const std::vector<postgres::SqlParameter>& values) {
  static const std::string select = fmt::format(
      "SELECT c.request, c.incarnation, c.sequence, "
      "(SELECT (extract(epoch FROM max(time)) * 1000000)::bigint FROM call_events "
      "WHERE call_id = c.call_id AND type = 'started') AS started, {} FROM calls c {} WHERE ",
      store::kLastEventColumns, fmt::format(store::kLastEventJoins, "c.call_id"));
  // They are asked each second, and planning took 4 ms of each.
  ASSIGN_OR_RETURN(auto rows,
                   connection_.ask(select + condition, values, postgres::Planning::kOnce));
  std::vector<ReapFacts> all;
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

Result<std::vector<ReapFacts>> RecordedCalls::incomplete(const std::string& after,
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

Result<std::vector<ReapFacts>> RecordedCalls::held(const std::string& after, std::size_t limit,
                                                   WallTime oldest) {
  const auto from = std::max(after, store::first_call_id(oldest));
  return facts_where(
      "c.call_id = ANY (ARRAY(SELECT i.call_id FROM calls i WHERE i.held AND i.call_id > $1::uuid "
      "AND NOT EXISTS (SELECT FROM completions d WHERE d.call_id = i.call_id OFFSET 0) "
      "ORDER BY i.call_id LIMIT $2::bigint)) ORDER BY c.call_id",
      {from, limit});
}

Result<std::vector<ReapFacts>> RecordedCalls::newly_held(const std::string& after,
                                                         std::size_t limit) {
  // Of all calls only held ones are in that table.
  return facts_where(
      "c.call_id = ANY (ARRAY(SELECT a.call_id FROM approvals a "
      "WHERE a.state = 'waiting' AND a.call_id > $1::uuid "
      "ORDER BY a.call_id LIMIT $2::bigint)) ORDER BY c.call_id",
      {after, limit});
}

Result<std::vector<ReapFacts>> RecordedCalls::asking(const std::string& after,
                                                     const std::string& before, std::size_t limit) {
  return facts_where(
      "c.call_id = ANY (ARRAY(SELECT DISTINCT e.call_id FROM call_events e "
      "WHERE e.type = 'input_requested' AND e.call_id > $1::uuid AND e.call_id < $2::uuid "
      "AND NOT EXISTS (SELECT FROM completions d WHERE d.call_id = e.call_id OFFSET 0) "
      "ORDER BY e.call_id LIMIT $3::bigint)) ORDER BY c.call_id",
      {after, before, limit});
}

Result<std::vector<ReapFacts>> RecordedCalls::facts(const std::vector<std::string>& call_ids) {
  return facts_where("c.call_id = ANY ($1::uuid[])", {postgres::SqlParameter::array(call_ids)});
}

Result<std::vector<std::string>> RecordedCalls::completed(
    const std::vector<std::string>& call_ids) {
  ASSIGN_OR_RETURN(
      auto rows, connection_.ask("SELECT call_id FROM completions WHERE call_id = ANY ($1::uuid[])",
                                 {postgres::SqlParameter::array(call_ids)}));
  std::vector<std::string> ids;
  ids.reserve(rows.size());
  for (const auto& row : rows) ids.push_back(row.get<std::string>("call_id"));
  return ids;
}

Result<std::vector<store::RecordedEvent>> RecordedCalls::retries(const store::EventPosition& after,
                                                                 WallTime oldest,
                                                                 std::size_t limit) {
  // The bound of ids leaves out the days before.
  ASSIGN_OR_RETURN(
      auto rows,
      connection_.ask(
          "SELECT incarnation, sequence, event, NULL AS result FROM call_events "
          "WHERE type IN ('retry_at', 'approval_decided', 'input_provided') "
          "AND (incarnation, sequence) > ($1::bigint, $2::bigint) AND call_id >= $3::uuid "
          "ORDER BY incarnation, sequence LIMIT $4::bigint",
          {after.incarnation, after.sequence, store::first_call_id(oldest), limit}));
  std::vector<store::RecordedEvent> retries;
  retries.reserve(rows.size());
  for (const auto& row : rows) {
    auto retry = store::recorded_event(row);
    // The page must be as long as what was read.
    if (!retry) spdlog::warn("the reaper cannot read a RetryAt: {}", retry.error().message);
    retries.push_back(retry ? std::move(*retry)
                            : store::RecordedEvent{store::position_of(row), {}});
  }
  return retries;
}

Result<v1::CallRequest> RecordedCalls::request(const std::string& call_id) {
  ASSIGN_OR_RETURN(
      auto rows,
      connection_.ask("SELECT request, arguments FROM calls WHERE call_id = $1::uuid", {call_id}));
  if (rows.empty()) return fail(ErrorCode::kUnknownCall, "call " + call_id + " is not recorded");
  auto request = proto::decode_call(rows.front().get<std::string>("request"));
  auto arguments = rows.front().nullable<std::string>("arguments");
  if (request && arguments) request->set_arguments(*std::move(arguments));
  return request;
}

}  // namespace toolway::persistence::reaper
