#include "tools/builtin/task_tools.h"

#include "base/reserved_names.h"
#include "tools/native/native_tool.h"

namespace toolway::tools::builtin {
namespace {

model::Execution answered_by_gateways(const Json&, model::ToolContext&, model::Progress&) {
  return tl::unexpected(model::ToolError(
      "tool_failed",
      "gateways answer this tool themselves, in POST /v1/sessions/{s}/tool_calls and in MCP's "
      "tools/call: send it there"));
}

OrderedJson schema(OrderedJson properties) {
  OrderedJson made = OrderedJson::object();
  made["type"] = "object";
  made["properties"] = std::move(properties);
  made["required"] = OrderedJson::array({"call_id"});
  made["additionalProperties"] = false;
  return made;
}

OrderedJson call_id_property() {
  return {{"type", "string"},
          {"description", "The call_id that the tool's first result named."},
          {"minLength", 1}};
}

std::shared_ptr<const model::Tool> tool(std::string_view name, std::string_view topic,
                                        std::string_view description, OrderedJson properties) {
  model::Spec spec;
  spec.name = name;
  spec.ns = kTasksNamespace;
  spec.topic = topic;
  spec.category = "tasks";
  spec.description = description;
  spec.input_schema = schema(std::move(properties));
  spec.read_only = name == kCheckTask;
  spec.idempotent = true;
  spec.task = model::TaskMode::kForbidden;  // it is answered at once, or within its own wait
  return std::make_shared<native::NativeTool>(std::move(spec), answered_by_gateways);
}

}  // namespace

std::vector<std::shared_ptr<const model::Tool>> task_tools() {
  OrderedJson check = OrderedJson::object();
  check["call_id"] = call_id_property();
  check["wait_s"] = {{"type", "number"},
                     {"description", "How many seconds to wait for the end of the call."},
                     {"minimum", 0},
                     {"maximum", kMaxTaskWait},
                     {"default", 0}};
  OrderedJson cancel = OrderedJson::object();
  cancel["call_id"] = call_id_property();
  return {
      tool(kCheckTask, "Check task status",
           "Says how far a call is that is still running, or what it returned. Waits for its end "
           "if asked to.",
           std::move(check)),
      tool(kCancelTask, "Cancel task", "Cancels a call that is still running.", std::move(cancel))};
}

}  // namespace toolway::tools::builtin
