#include "gateway/calls/call_query.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/stored_session_id.h"
#include "base/text.h"
#include "base/try.h"
#include "gateway/calls/call_states.h"
#include "gateway/wire/time_text.h"
#include "proto/codec.h"

namespace toolway::gateway::calls {
namespace {

using persistence::store::CallFilter;
using persistence::store::CallState;
using wire::HttpResult;
using wire::Target;

/// A parameter that breaks a rule of JSON Schema by the name of `keyword`.
tl::unexpected<wire::Problem> refuse_parameter(std::string_view name, std::string keyword,
                                               std::string message) {
  return wire::refuse(wire::invalid_parameter(name, std::move(keyword), std::move(message)));
}

HttpResult<std::string> parse_name(const Target& target, std::string_view parameter,
                                   bool (*valid)(std::string_view), std::string_view expected) {
  const auto text = target.query(parameter);
  if (!text) return std::string();
  if (!valid(*text)) return refuse_parameter(parameter, "pattern", std::string(expected));
  return std::string(*text);
}

/// `name`, or `namespace.name`.
HttpResult<void> parse_tool(const Target& target, CallFilter& filter) {
  constexpr std::string_view kExpected =
      "expected a tool's name, or namespace.name, of letters, digits, _ and -";
  ASSIGN_OR_RETURN(filter.namespace_, parse_name(target, "namespace", valid_name,
                                                 "expected letters, digits, _ and -, up to 64"));
  const auto text = target.query("tool");
  if (!text) return {};
  const auto dot = text->find('.');
  const bool whole = dot != std::string_view::npos;
  filter.tool = text->substr(whole ? dot + 1 : 0);
  const auto space = whole ? text->substr(0, dot) : std::string_view();
  if (!valid_name(filter.tool) || (whole && !valid_name(space)))
    return refuse_parameter("tool", "pattern", std::string(kExpected));
  if (whole && !filter.namespace_.empty() && filter.namespace_ != space)
    return refuse_parameter("namespace", "const",
                            fmt::format("tool={} names another namespace", *text));
  if (whole) filter.namespace_ = space;
  return {};
}

HttpResult<std::optional<v1::Outcome>> parse_outcome(const Target& target) {
  const auto text = target.query("outcome");
  if (!text) return std::optional<v1::Outcome>();
  std::vector<std::string_view> names;
  for (int number = v1::Outcome_MIN; number <= v1::Outcome_MAX; ++number) {
    const auto outcome = static_cast<v1::Outcome>(number);
    if (outcome == v1::OUTCOME_UNSPECIFIED || !v1::Outcome_IsValid(number)) continue;
    names.push_back(proto::outcome_name(outcome));
    if (*text == names.back()) return std::optional(outcome);
  }
  return refuse_parameter("outcome", "enum",
                          fmt::format("expected one of {}", fmt::join(names, ", ")));
}

HttpResult<std::optional<std::chrono::microseconds>> parse_ran(const Target& target,
                                                               std::string_view name) {
  const auto text = target.query(name);
  if (!text) return std::optional<std::chrono::microseconds>();
  const auto duration = wire::parse_duration(*text);
  if (!duration)
    return refuse_parameter(name, "format",
                            "expected a number and its unit: ms, s, m, h or d (250ms, 1.5s)");
  return duration;
}

HttpResult<unsigned> parse_attempts(const Target& target) {
  constexpr unsigned kMaxAttempts = 1000;
  const auto text = target.query("attempts");
  if (!text) return 0U;
  unsigned attempts = 0;
  if (!parse_number(*text, attempts) || attempts < 1 || attempts > kMaxAttempts)
    return refuse_parameter("attempts", "range",
                            fmt::format("expected a number from 1 to {}", kMaxAttempts));
  return attempts;
}

/// Parameters that no call can fit together.
HttpResult<void> check_together(const CallFilter& filter) {
  if (filter.since && filter.until && *filter.since >= *filter.until)
    return refuse_parameter("until", "range", "expected a time after since");
  if (filter.min_ran && filter.max_ran && *filter.min_ran > *filter.max_ran)
    return refuse_parameter("max_duration", "range", "expected min_duration or more");
  const bool open = filter.state == CallState::kQueued || filter.state == CallState::kRunning ||
                    filter.state == CallState::kHeld;
  if (open && filter.only_completed())
    return refuse_parameter(
        "state", "const",
        "only a completed call has an outcome, an error_code and a duration: leave one of them out");
  if (filter.outcome == v1::OUTCOME_SUCCEEDED && !filter.error_code.empty())
    return refuse_parameter("error_code", "const", "a call that succeeded has none");
  return {};
}

}  // namespace

HttpResult<CallState> parse_state(const Target& target) {
  const auto text = target.query("state");
  if (!text) return CallState::kAny;
  if (*text == call_state::kQueued) return CallState::kQueued;
  if (*text == call_state::kHeld) return CallState::kHeld;
  if (*text == call_state::kRunning) return CallState::kRunning;
  if (*text == call_state::kCompleted) return CallState::kCompleted;
  return refuse_parameter("state", "enum", "expected held, queued, running or completed");
}

HttpResult<std::optional<CallId>> parse_before(const Target& target) {
  const auto text = target.query("before");
  if (!text) return std::optional<CallId>();
  auto id = CallId::parse(*text);
  if (!id)
    return wire::refuse(ErrorCode::kInvalidCursor, "?before= takes the `next` of an earlier page");
  return std::optional(std::move(*id));
}

HttpResult<CallQuery> parse_call_query(const Target& target, WallTime now) {
  RETURN_IF_ERROR(
      target.only({"session", "tool", "namespace", "state", "outcome", "error_code", "since",
                   "until", "min_duration", "max_duration", "attempts", "limit", "before"}));
  CallQuery query;
  ASSIGN_OR_RETURN(query.limit, wire::parse_limit(target, 100, 1000));
  ASSIGN_OR_RETURN(query.before, parse_before(target));
  ASSIGN_OR_RETURN(query.session, parse_name(target, "session", may_be_stored_session_id,
                                             "expected a session_id: letters, digits and ._:@-"));
  auto& filter = query.filter;
  RETURN_IF_ERROR(parse_tool(target, filter));
  ASSIGN_OR_RETURN(filter.state, parse_state(target));
  ASSIGN_OR_RETURN(filter.outcome, parse_outcome(target));
  ASSIGN_OR_RETURN(filter.error_code, parse_name(target, "error_code", valid_opaque,
                                                 "expected an error's code, such as tool_failed"));
  ASSIGN_OR_RETURN(filter.since, wire::parse_moment(target, "since", now));
  ASSIGN_OR_RETURN(filter.until, wire::parse_moment(target, "until", now));
  ASSIGN_OR_RETURN(filter.min_ran, parse_ran(target, "min_duration"));
  ASSIGN_OR_RETURN(filter.max_ran, parse_ran(target, "max_duration"));
  ASSIGN_OR_RETURN(filter.attempts, parse_attempts(target));
  RETURN_IF_ERROR(check_together(filter));
  return query;
}

}  // namespace toolway::gateway::calls
