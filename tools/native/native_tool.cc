#include "tools/native/native_tool.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "tools/model/readable.h"
#include "tools/native/native_values.h"

namespace toolway::tools::native {
namespace {

model::Execution refused(ErrorCode code, std::string message) {
  return tl::unexpected(model::ToolError(Error{code, std::move(message)}));
}

class RespecifiedTool final : public model::Tool {
 public:
  RespecifiedTool(std::shared_ptr<const model::Tool> tool, model::Spec spec)
      : tool_(std::move(tool)), spec_(std::move(spec)) {}
  const model::Spec& spec() const override { return spec_; }
  model::Execution execute(const Json& arguments, model::ToolContext& context,
                           model::Progress& progress) const override {
    return tool_->execute(arguments, context, progress);
  }

 private:
  const std::shared_ptr<const model::Tool> tool_;
  const model::Spec spec_;
};

}  // namespace

NativeTool::NativeTool(model::Spec spec, Body body)
    : spec_(std::move(spec)),
      body_(std::move(body)),
      input_(schema::compile_schema(spec_.input_schema)) {}

model::Execution NativeTool::execute(const Json& arguments, model::ToolContext& context,
                                     model::Progress& progress) const {
  if (!input_) return refused(input_.error().code, input_.error().message);
  if (const auto violations = (*input_)->validate(arguments); !violations.empty()) {
    return refused(ErrorCode::kInvalidArguments, schema::describe(violations));
  }
  try {
    model::Execution execution = body_(arguments, context, progress);
    if (!execution) {
      execution.error().code = model::readable(std::move(execution.error().code));
      execution.error().message = model::readable(std::move(execution.error().message));
    }
    return execution;
  } catch (const InvalidValue& error) {  // fits the schema but not the C++ type, e.g. 1e300
    return refused(ErrorCode::kInvalidArguments, error.what());
  } catch (const std::exception& error) {
    return refused(ErrorCode::kToolThrew, model::readable(error.what()));
  } catch (...) {
    return refused(ErrorCode::kToolThrew,
                   fmt::format("tool '{}' threw something that is not a std::exception",
                               spec_.qualified_name()));
  }
}

model::Spec NativeTool::make_spec(const ToolInfo& info, OrderedJson input, OrderedJson output,
                                  Steps steps) {
  model::Spec spec{.name = std::string(info.name),
                   .ns = std::string(info.ns),
                   .description = std::string(info.description),
                   .input_schema = std::move(input),
                   .output_schema = std::move(output),
                   .version = std::string(info.version),
                   .category = std::string(info.category),
                   .topic = std::string(info.topic),
                   .dangerous = info.dangerous,
                   .requires_approval = info.requires_approval,
                   .read_only = info.read_only,
                   .open_world = info.open_world,
                   .idempotent = info.idempotent,
                   .multi_step = steps == Steps::kMulti,
                   .limits = info.limits,
                   .result = info.result};
  for (const auto permission : info.permissions) {
    if (!permission.empty()) spec.permissions.emplace_back(permission);
  }
  return spec;
}

std::shared_ptr<const model::Tool> with_spec(std::shared_ptr<const model::Tool> tool,
                                             model::Spec spec) {
  return std::make_shared<RespecifiedTool>(std::move(tool), std::move(spec));
}

Json with_defaults(const OrderedJson& schema, Json arguments) {
  const auto properties = schema.find("properties");
  if (properties == schema.end() || !arguments.is_object()) return arguments;
  for (const auto& [name, property] : properties->items()) {
    if (property.is_object() && property.contains("default") && !arguments.contains(name)) {
      arguments[name] = Json(property["default"]);
    }
  }
  return arguments;
}

}  // namespace toolway::tools::native
