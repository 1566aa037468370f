#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/model/registry.h"
#include "tools/native/native_tool.h"

namespace toolway::test {

/// A tool of any name that returns what `body` says, or its arguments.
inline std::shared_ptr<const tools::model::Tool> any_tool(
    tools::model::Spec spec, tools::native::NativeTool::Body body = {}) {
  if (spec.input_schema.is_null()) spec.input_schema = {{"type", "object"}};
  if (!body) {
    body = [](const Json& arguments, tools::model::ToolContext&, tools::model::Progress&) {
      return tools::model::Execution(arguments);
    };
  }
  return std::make_shared<tools::native::NativeTool>(std::move(spec), std::move(body));
}

/// Specs with everything that an export has to care about.
inline std::vector<tools::model::Spec> export_specs() {
  using tools::model::Spec;
  std::vector<Spec> specs;
  specs.push_back(
      Spec{.name = "calculate_sum",
           .description = "Adds two numbers.",
           .input_schema = {{"type", "object"},
                            {"properties",
                             {{"a", {{"type", "number"}, {"description", "The first."}}},
                              {"b", {{"type", "number"}}}}},
                            {"required", {"a", "b"}},
                            {"additionalProperties", false}},
           .output_schema = {{"type", "object"}, {"properties", {{"sum", {{"type", "number"}}}}}},
           .category = "math",
           .topic = "Sum",
           .permissions = {"math.read"},
           .idempotent = true});
  specs.push_back(Spec{
      .name = "dangerous_delete",
      .ns = "files",
      .description = "Deletes a file.",
      .input_schema =
          {{"type", "object"},
           {"oneOf",
            {{{"properties", {{"path", {{"type", "string"}}}}}, {"required", {"path"}}},
             {{"$ref", "#/$defs/ById"}}}},
           {"$defs",
            {{"ById", {{"properties", {{"id", {{"type", "integer"}}}}}, {"required", {"id"}}}}}}},
      .output_schema = {{"type", "string"}},
      .kind = tools::model::Kind::kCommand,
      .pool = "secret-pool",
      .version = "7",
      .category = "files",
      .permissions = {"files.write", "files.delete"},
      .dangerous = true,
      .requires_approval = false,
      .retry = {.max_attempts = 3, .codes = {"secret_code"}},
      .implementation = {{"argv", {"rm", "{path}"}}, {"token", "secret-token"}}});
  specs.push_back(
      Spec{.name = "run__all",
           .ns = "files",
           .input_schema = {{"type", "object"},
                            {"properties",
                             {{"steps", {{"type", "array"}}},
                              {"tags", {{"type", "array"}, {"items", {{"type", "string"}}}}}}},
                            {"not", {{"required", {"x"}}}}},
           .kind = tools::model::Kind::kPython,
           .multi_step = true});
  return specs;
}

inline std::shared_ptr<const tools::model::Registry> registry_of(
    const std::vector<tools::model::Spec>& specs) {
  auto registry = std::make_shared<tools::model::Registry>();
  for (const auto& spec : specs) {
    if (auto added = registry->add(any_tool(spec)); !added)
      throw std::logic_error(added.error().message);
  }
  return registry;
}

}  // namespace toolway::test
