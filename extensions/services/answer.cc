#include "extensions/services/answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/held_pool.h"
#include "base/ids.h"
#include "base/json_pointer.h"
#include "base/strict_json.h"
#include "base/strict_object.h"
#include "base/try.h"
#include "extensions/builtin/redact.h"
#include "proto/approvals.h"

namespace toolway::extensions::services {
namespace {

using Fields = StrictObject<Json>;

constexpr std::size_t kMaxMessage = 1000;
constexpr std::size_t kMaxRoles = 20;
constexpr std::size_t kMaxPlaces = 64;
constexpr Range<std::int64_t> kRetryAfter{1, 86'400};
constexpr Range<std::int64_t> kLimitMs{1, std::numeric_limits<std::uint32_t>::max()};
constexpr Range<std::int64_t> kQuorum{1, proto::kMaxQuorum};
constexpr Range<std::int64_t> kExpires{1, kLongestHold.count()};
constexpr std::string_view kNoReason = "a service that was asked about the call refuses it";

ErrorCode code_named(std::string_view name) {
  if (name == "tool_disabled") return ErrorCode::kToolDisabled;
  if (name == "rate_limited") return ErrorCode::kRateLimited;
  return ErrorCode::kPermissionDenied;
}

void read_refusal(Fields& fields, Answer& answer) {
  Error refusal{
      code_named(fields.choice("code", {"permission_denied", "tool_disabled", "rate_limited"})),
      std::string(kNoReason)};
  fields.text("message", refusal.message);
  if (refusal.message.empty()) refusal.message = kNoReason;
  if (refusal.message.size() > kMaxMessage)
    fields.wrong("message", fmt::format("expected at most {} bytes", kMaxMessage));
  if (fields.find("retry_after_s") != nullptr) {
    std::int64_t seconds = 1;
    fields.whole("retry_after_s", seconds, kRetryAfter);
    refusal.retry_after = std::chrono::seconds(seconds);
    if (refusal.code == ErrorCode::kPermissionDenied)
      fields.wrong("retry_after_s", "trying again does not help against permission_denied");
  }
  answer.refusal = std::move(refusal);
}

void read_hold(Fields& fields, Mistakes& mistakes, Answer& answer) {
  Hold hold;
  if (const auto* value = fields.map("approval")) {
    Fields of(*value, mistakes, fields.at("approval"));
    of.texts("roles", hold.roles);
    if (hold.roles.size() > kMaxRoles)
      of.wrong("roles", fmt::format("expected at most {}", kMaxRoles));
    std::int64_t quorum = hold.quorum;
    std::int64_t expires = hold.expires.count();
    of.whole("quorum", quorum, kQuorum);
    of.whole("expires_s", expires, kExpires);
    hold.quorum = static_cast<unsigned>(quorum);
    hold.expires = std::chrono::seconds(expires);
    of.flag("requester_may_decide", hold.requester_may_decide);
    of.nothing_else();
  }
  answer.hold = std::move(hold);
}

void read_limits(Fields& fields, Mistakes& mistakes, Answer& answer) {
  const auto* value = fields.map("limits");
  if (value == nullptr) return;
  Fields of(*value, mistakes, fields.at("limits"));
  of.milliseconds("queue_ms", answer.limits.queue, kLimitMs);
  of.milliseconds("run_ms", answer.limits.run, kLimitMs);
  of.milliseconds("total_ms", answer.limits.total, kLimitMs);
  of.milliseconds("heartbeat_ms", answer.limits.heartbeat, kLimitMs);
  of.nothing_else();
}

void read_before(Fields& fields, Mistakes& mistakes, std::string_view decision, Answer& answer) {
  if (decision == "hold") read_hold(fields, mistakes, answer);
  if (decision == "refuse") return;
  read_limits(fields, mistakes, answer);
  if (const auto* pool = fields.text("pool")) {
    if (!valid_name(*pool) || *pool == kHeldPool)
      fields.wrong("pool", "expected the name of a pool");
    else
      answer.pool = *pool;
  }
}

void read_after(Fields& fields, std::string_view decision, Answer& answer) {
  if (decision == "redact") {
    fields.texts("places", answer.hides);
    if (answer.hides.empty() || answer.hides.size() > kMaxPlaces ||
        !std::ranges::all_of(answer.hides, valid_pointer))
      fields.wrong("places", fmt::format("expected 1 to {} JSON Pointers", kMaxPlaces));
  } else if (decision == "replace") {
    if (const auto* result = fields.value("result"))
      answer.result = *result;
    else
      fields.wrong("result", "is missing");
  }
}

/// OPA's policies say `allow: true` where ours say `decision: allow`.
std::string_view decision_of(Fields& fields, Service::Format format, Phase phase) {
  if (format == Service::Format::kOpa && fields.find("allow") != nullptr) {
    bool allow = false;
    fields.flag("allow", allow);
    return allow ? "allow" : "refuse";
  }
  if (fields.find("decision") == nullptr) {
    fields.wrong("decision", "is missing");
    return "refuse";
  }
  return phase == Phase::kBefore
             ? fields.choice("decision", {"refuse", "allow", "hold"})
             : fields.choice("decision", {"refuse", "allow", "redact", "replace"});
}

Answer read_decision(const Json& value, Service::Format format, Phase phase, Mistakes& mistakes) {
  Answer answer;
  Fields fields(value, mistakes);
  if (!value.is_object()) return answer;
  const auto decision = decision_of(fields, format, phase);
  if (decision == "refuse") read_refusal(fields, answer);
  if (phase == Phase::kBefore)
    read_before(fields, mistakes, decision, answer);
  else
    read_after(fields, decision, answer);
  fields.nothing_else();
  return answer;
}

Result<Json> opa_result(Json answer) {
  if (!answer.is_object())
    return fail(ErrorCode::kInvalidResult, "its answer is not an object with `result`");
  const auto found = answer.find("result");
  if (found == answer.end())
    return fail(ErrorCode::kInvalidResult,
                "its answer has no `result`: no policy defines the document that `url` names");
  return std::move(*found);
}

}  // namespace

Result<Answer> read_answer(std::string_view body, Service::Format format, Phase phase) {
  auto value = parse_strict_json(body);
  if (!value)
    return fail(ErrorCode::kInvalidResult, "its answer cannot be read: " + value.error().message);
  if (format == Service::Format::kOpa) {
    ASSIGN_OR_RETURN(value, opa_result(*std::move(value)));
    if (value->is_boolean())
      return value->get<bool>()
                 ? Answer{}
                 : Answer{.refusal = Error{ErrorCode::kPermissionDenied, std::string(kNoReason)}};
  }
  Mistakes mistakes;
  auto answer = read_decision(*value, format, phase, mistakes);
  if (mistakes.count() > 0)
    return fail(ErrorCode::kInvalidResult,
                "its answer is wrong: " + std::move(mistakes).take().front().text());
  return answer;
}

void lower_limits(v1::Limits& limits, const tools::model::Limits& to) {
  const auto lower = [](std::uint32_t now, std::chrono::milliseconds asked) {
    if (asked.count() == 0) return now;
    const auto wanted = static_cast<std::uint32_t>(asked.count());
    return now == 0 ? wanted : std::min(now, wanted);
  };
  limits.set_queue_ms(lower(limits.queue_ms(), to.queue));
  limits.set_run_ms(lower(limits.run_ms(), to.run));
  limits.set_total_ms(lower(limits.total_ms(), to.total));
  limits.set_heartbeat_ms(lower(limits.heartbeat_ms(), to.heartbeat));
}

Result<tools::model::Execution> answered_result(const Answer& answer,
                                                const tools::model::RegisteredTool& tool,
                                                tools::model::Execution result) {
  if (answer.refusal)
    return tools::model::Execution(tl::unexpected(tools::model::ToolError(*answer.refusal)));
  Json& shown = result ? *result : result.error().details;
  for (const auto& place : answer.hides) builtin::hide(shown, place);
  if (!answer.result) return result;
  if (tool.output) {
    if (const auto wrong = tool.output->validate(*answer.result); !wrong.empty())
      return fail(ErrorCode::kInvalidResult,
                  fmt::format("what it replaces the result by does not fit the tool's output "
                              "schema: {}",
                              tools::schema::describe(wrong)));
  }
  return tools::model::Execution(*answer.result);
}

}  // namespace toolway::extensions::services
