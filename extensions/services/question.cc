#include "extensions/services/question.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/json.h"
#include "tools/schema/secret_places.h"

namespace toolway::extensions::services {
namespace {

OrderedJson caller_of(const Question& question) {
  const auto& principal = question.call.principal();
  return {{"tenant", question.call.tenant_id()},
          {"user", question.call.user_id()},
          {"roles", question.roles},
          {"method", principal.method()},
          {"key_id", principal.key_id()}};
}

OrderedJson tool_of(const tools::model::Spec& spec) {
  return {{"name", spec.name},
          {"namespace", spec.ns},
          {"version", spec.version},
          {"kind", spec.kind.name},
          {"category", spec.category},
          {"permissions", spec.permissions},
          {"dangerous", spec.dangerous},
          {"requires_approval", spec.requires_approval},
          {"idempotent", spec.idempotent}};
}

OrderedJson limits_of(const v1::Limits& limits) {
  return {{"queue_ms", limits.queue_ms()},
          {"run_ms", limits.run_ms()},
          {"total_ms", limits.total_ms()},
          {"heartbeat_ms", limits.heartbeat_ms()}};
}

/// Without the arguments, whose text is put in as it is.
OrderedJson call_of(const Question& question) {
  const auto& call = question.call;
  OrderedJson made{{"call_id", call.call_id()},
                   {"session_id", call.session_id()},
                   {"tool_call_id", call.labels().tool_call_id()},
                   {"pool", call.pool()},
                   {"limits", limits_of(call.limits())},
                   {"held", call.has_hold()}};
  if (question.phase == Phase::kAfter) made["attempt"] = question.attempt;
  return made;
}

std::string arguments_of(const v1::CallRequest& call) {
  if (call.secret_places().empty()) return call.arguments();
  return tools::schema::hidden_text(call.arguments(),
                                    {call.secret_places().begin(), call.secret_places().end()});
}

OrderedJson error_of(const tools::model::ToolError& error) {
  return {{"code", error.code}, {"message", error.message}, {"retryable", error.retryable}};
}

void add(std::string& object, std::string_view name, std::string_view json) {
  if (object.back() != '{') object += ',';
  object += fmt::format("\"{}\":", name);
  object += json;
}

std::string data_of(const Question& question) {
  std::string data = "{";
  add(data, "phase", to_text(OrderedJson(phase_name(question.phase))));
  add(data, "rule", to_text(OrderedJson(question.rule)));
  add(data, "caller", to_text(caller_of(question)));
  add(data, "tool", to_text(tool_of(question.spec)));
  add(data, "call", to_text(call_of(question)));
  add(data, "arguments", arguments_of(question.call));
  if (question.result != nullptr) {
    const auto& result = *question.result;
    if (result)
      add(data, "result", to_text(*result));
    else
      add(data, "error", to_text(error_of(result.error())));
  }
  return data + "}";
}

}  // namespace

std::string_view phase_name(Phase phase) { return phase == Phase::kBefore ? "before" : "after"; }

std::string question_id(const Question& question) {
  const auto& id = question.call.call_id();
  return question.phase == Phase::kBefore
             ? fmt::format("msg_{}_before_{}", id, question.rule)
             : fmt::format("msg_{}_after_{}_{}", id, question.attempt, question.rule);
}

std::string question_text(const Question& question, Service::Format format, WallTime now) {
  if (format == Service::Format::kOpa) return fmt::format(R"({{"input":{}}})", data_of(question));
  const std::time_t at = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  return fmt::format(R"({{"type":"call.{}","timestamp":"{:%Y-%m-%dT%H:%M:%SZ}","data":{}}})",
                     phase_name(question.phase), fmt::gmtime(at), data_of(question));
}

}  // namespace toolway::extensions::services
