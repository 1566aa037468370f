#include "tools/builtin/turn_spec.h"

#include "base/error.h"
#include "base/reserved_names.h"
#include "tools/native/native_tool.h"

namespace toolway::tools::builtin {
namespace {

OrderedJson input_schema() {
  using Object = OrderedJson::object_t;
  OrderedJson properties = OrderedJson::object();
  properties[turn::kStep] = {{"enum", {turn::kSend, turn::kContinue, turn::kNew, turn::kImport}}};
  properties[turn::kContent] = {{"type", "string"}};
  properties[turn::kOptions] = {{"type", "object"}};
  properties[turn::kOnBusy] = {{"enum", {"wait", "refuse", "interrupt"}}};
  properties[turn::kMessages] = {{"type", "array"}};
  properties[turn::kRepairs] = {{"type", "array"}};
  properties[turn::kConversation] = {{"type", "string"}};
  properties[turn::kAfter] = {{"type", "integer"}, {"minimum", 1}};
  return Object{{"type", "object"},
                {"properties", std::move(properties)},
                {"required", OrderedJson::array({turn::kStep})},
                {"additionalProperties", false}};
}

}  // namespace

bool turn::stands_alone(const Json& arguments) {
  if (!arguments.is_object()) return true;
  const auto step = arguments.find(kStep);
  return arguments.contains(kMessages) && !(step != arguments.end() && *step == kImport);
}

model::Spec turn_spec() {
  model::Spec spec;
  spec.name = "turn";
  spec.ns = kTurnNamespace;
  spec.description = "A turn of a conversation: a model answers, and calls the session's tools.";
  spec.topic = "Turn";
  spec.pool = kChatPool;
  spec.input_schema = input_schema();
  spec.idempotent = true;  // an attempt continues where the one before it was
  spec.multi_step = true;
  // A conversation may wait for calls, and those for approvals.
  spec.limits = {.run = std::chrono::hours(1), .total = std::chrono::hours(24)};
  // Postgres was away, or too slow: what is stored so far is there for the next attempt.
  spec.retry = {.max_attempts = 10,
                .initial_delay = std::chrono::seconds(1),
                .factor = 2,
                .max_delay = std::chrono::seconds(60),
                .codes = {std::string(code_name(ErrorCode::kStoreUnavailable))}};
  return spec;
}

const model::RegisteredToolPtr& turn_tool() {
  static const model::RegisteredToolPtr tool =
      *model::register_tool(std::make_shared<native::NativeTool>(
          turn_spec(), [](const Json&, model::ToolContext&, model::Progress&) -> model::Execution {
            return tl::unexpected(
                model::ToolError("tool_failed", "turns run in chat processes alone"));
          }));
  return tool;
}

}  // namespace toolway::tools::builtin
