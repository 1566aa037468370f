#include "persistence/store/call_search.h"

#include <fmt/format.h>

#include <string_view>

#include "proto/codec.h"

namespace toolway::persistence::store {
namespace {

constexpr std::string_view kRan = "f.completed_at - f.started_at";

/// A statement as it grows: `value(x)` is the `$n` under which x is sent.
class Builder {
 public:
  explicit Builder(const CallFilter& filter, const std::optional<CallId>& before)
      : filter_(filter), before_(before) {}

  SearchStatement build(std::size_t rows, std::size_t looks) {
    const auto candidates = this->candidates(looks);
    const auto fits = conditions();
    // The windows and the lateral looks keep the candidates' order, and the outer LIMIT ends them;
    // OFFSET 0 keeps each look one look: joined as tables, the planner may read all of them.
    auto sql = fmt::format(
        "SELECT w.call_id, {1} AS fits, w.n = {3} AS last_look FROM (SELECT call_id, "
        "row_number() OVER (ORDER BY call_id DESC) AS n FROM ({0}) i) w{2} "
        "WHERE {1} OR w.n = {3} ORDER BY w.call_id DESC LIMIT {4}",
        candidates, fits, looks_into(), value(looks) + "::bigint", value(rows) + "::bigint");
    return {std::move(sql), std::move(parameters_)};
  }

 private:
  std::string value(postgres::SqlParameter parameter) {
    parameters_.push_back(std::move(parameter));
    return fmt::format("${}", parameters_.size());
  }
  std::string tenant() {
    return value(filter_.tenant_id.empty() ? std::string("default") : filter_.tenant_id);
  }
  static std::string microseconds(const std::string& parameter) {
    return parameter + "::bigint * interval '1 microsecond'";
  }

  /// Ids in the range that is asked for, those of `table` to which `condition` applies.
  std::string ids(std::string_view table, const std::string& condition, std::size_t looks) {
    std::string sql = fmt::format("SELECT call_id FROM {} WHERE {}", table, condition);
    if (before_) sql += fmt::format(" AND call_id < {}::uuid", value(before_->text()));
    if (filter_.since)
      sql += fmt::format(" AND call_id >= {}::uuid", value(first_call_id(*filter_.since)));
    if (filter_.until)
      sql += fmt::format(" AND call_id < {}::uuid", value(first_call_id(*filter_.until)));
    return sql + fmt::format(" ORDER BY call_id DESC LIMIT {}::bigint", value(looks));
  }

  std::string candidates(std::size_t looks) {
    switch (candidate_index(filter_)) {
      case CandidateIndex::kSession:
        return ids("calls", fmt::format("session_key = {}::uuid", value(filter_.session->text())),
                   looks);
      case CandidateIndex::kErrorCode:
        return ids("completions", "error_code = " + value(filter_.error_code), looks);
      case CandidateIndex::kOutcome:
        // As the index says it, so that the planner need not prove it.
        return ids(
            "completions",
            "outcome <> 'succeeded' AND outcome = " + value(proto::outcome_name(*filter_.outcome)),
            looks);
      case CandidateIndex::kRetried: {
        // A start that a completion reports has no row of its own.
        const auto ended = ids("completions", "attempt >= 2", looks);
        const auto started = ids("call_events", "attempt >= 2 AND type = 'started'", looks);
        return fmt::format("({}) UNION ({}) ORDER BY call_id DESC LIMIT {}::bigint", ended, started,
                           value(looks));
      }
      case CandidateIndex::kSlow:
        return ids("completions", "completed_at - started_at >= interval '1 s'", looks);
      case CandidateIndex::kTool: {
        const auto user = user_condition("");
        return ids("calls", user + " AND tool = " + value(filter_.tool), looks);
      }
      case CandidateIndex::kUser: return ids("calls", user_condition(""), looks);
    }
    return {};
  }

  std::string user_condition(std::string_view table) {
    const auto tenant = this->tenant();
    return fmt::format("{0}tenant_id = {1} AND {0}user_id = {2}", table, tenant,
                       value(filter_.user_id));
  }

  /// What a candidate must fit besides what its index says; `true` when that is all.
  std::string conditions() {
    const auto index = candidate_index(filter_);
    std::string all;
    const auto also = [&all](const std::string& condition) {
      all += (all.empty() ? "" : " AND ") + condition;
    };
    if (index != CandidateIndex::kTool && index != CandidateIndex::kUser)
      call(user_condition("c."), also);
    if (filter_.session && index != CandidateIndex::kSession)
      call(fmt::format("c.session_key = {}::uuid", value(filter_.session->text())), also);
    if (!filter_.tool.empty() && index != CandidateIndex::kTool)
      call("c.tool = " + value(filter_.tool), also);
    if (!filter_.namespace_.empty()) call("c.namespace = " + value(filter_.namespace_), also);
    if (filter_.outcome && index != CandidateIndex::kOutcome)
      end("f.outcome = " + value(proto::outcome_name(*filter_.outcome)), also);
    if (!filter_.error_code.empty() && index != CandidateIndex::kErrorCode)
      end("f.error_code = " + value(filter_.error_code), also);
    if (filter_.min_ran)
      end(fmt::format("{} >= {}", kRan, microseconds(value(filter_.min_ran->count()))), also);
    if (filter_.max_ran)
      end(fmt::format("{} <= {}", kRan, microseconds(value(filter_.max_ran->count()))), also);
    state_condition(also);
    if (filter_.attempts > 0) {
      needs_end_ = needs_step_ = true;
      also(
          fmt::format("coalesce(f.attempt, s.attempt, 0) >= {}::integer", value(filter_.attempts)));
    }
    return all.empty() ? "true" : "(" + all + ") IS TRUE";
  }

  template <typename Also>
  void state_condition(Also also) {
    switch (filter_.state) {
      case CallState::kAny: return;
      case CallState::kCompleted: return end("f.attempt IS NOT NULL", also);
      case CallState::kQueued:
        needs_step_ = true;
        call("NOT c.held", also);
        return end("f.attempt IS NULL AND s.type IS DISTINCT FROM 'started'", also);
      case CallState::kHeld:
        needs_step_ = true;
        call("c.held", also);
        return end("f.attempt IS NULL AND s.type IS NULL", also);
      case CallState::kRunning:
        needs_step_ = true;
        return end("f.attempt IS NULL AND s.type = 'started'", also);
    }
  }

  template <typename Also>
  void call(const std::string& condition, Also also) {
    needs_call_ = true;
    also(condition);
  }
  template <typename Also>
  void end(const std::string& condition, Also also) {
    needs_end_ = true;
    also(condition);
  }

  /// What the conditions read.
  std::string looks_into() const {
    std::string joins;
    if (needs_call_)
      joins +=
          " CROSS JOIN LATERAL (SELECT tenant_id, user_id, session_key, namespace, tool, held FROM calls "
          "WHERE call_id = w.call_id OFFSET 0) c";
    if (needs_end_)
      joins +=
          " LEFT JOIN LATERAL (SELECT outcome, error_code, attempt, started_at, completed_at "
          "FROM completions WHERE call_id = w.call_id OFFSET 0) f ON true";
    if (needs_step_)
      joins +=
          " LEFT JOIN LATERAL (SELECT e.type, e.attempt FROM call_events e "
          "WHERE f.attempt IS NULL AND e.call_id = w.call_id AND e.type IN ('started', 'retry_at') "
          "ORDER BY e.incarnation DESC, e.sequence DESC LIMIT 1) s ON true";
    return joins;
  }

  const CallFilter& filter_;
  const std::optional<CallId>& before_;
  std::vector<postgres::SqlParameter> parameters_;
  bool needs_call_ = false;
  bool needs_end_ = false;
  bool needs_step_ = false;
};

}  // namespace

CandidateIndex candidate_index(const CallFilter& filter) {
  if (filter.session) return CandidateIndex::kSession;
  if (!filter.error_code.empty()) return CandidateIndex::kErrorCode;
  if (filter.outcome && *filter.outcome != v1::OUTCOME_SUCCEEDED) return CandidateIndex::kOutcome;
  if (filter.attempts >= 2) return CandidateIndex::kRetried;
  if (!filter.tool.empty()) return CandidateIndex::kTool;
  if (filter.min_ran && *filter.min_ran >= kSlow) return CandidateIndex::kSlow;
  return CandidateIndex::kUser;
}

SearchStatement search_statement(const CallFilter& filter, const std::optional<CallId>& before,
                                 std::size_t rows, std::size_t looks) {
  return Builder(filter, before).build(rows, looks);
}

std::string first_call_id(WallTime time) {
  const auto hex = fmt::format("{:012x}", to_unix_us(time) / 1000);
  return hex.substr(0, 8) + "-" + hex.substr(8) + "-0000-0000-000000000000";
}

}  // namespace toolway::persistence::store
