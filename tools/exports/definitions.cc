#include "tools/exports/definitions.h"

#include "tools/exports/api_names.h"
#include "tools/exports/api_schema.h"

namespace toolway::tools::exports {
namespace {

/// `name` and `description`, the latter when there is one.
OrderedJson head(const model::Spec& spec, Format format, const std::string& api_name) {
  OrderedJson out{{"name", api_name}};
  if (!spec.description.empty()) out["description"] = api_description(spec.description, format);
  return out;
}

/// https://modelcontextprotocol.io/specification/2025-06-18/schema#tool
OrderedJson mcp(const model::Spec& spec, Format format, const std::string& api_name) {
  const std::string& title = spec.topic.empty() ? spec.name : spec.topic;
  OrderedJson out{{"name", api_name}, {"title", title}};
  if (!spec.description.empty()) out["description"] = spec.description;
  out["inputSchema"] = spec.input_schema;
  if (shows_output_schema(spec, format)) out["outputSchema"] = spec.output_schema;
  if (format == Format::kMcpTasks)
    out["execution"] = {{"taskSupport", model::task_mode_name(spec.task)}};
  out["annotations"] = {
      {"title", title}, {"destructiveHint", spec.dangerous}, {"idempotentHint", spec.idempotent}};
  // Left out they mean false and true.
  if (spec.read_only) out["annotations"]["readOnlyHint"] = true;
  if (!spec.open_world) out["annotations"]["openWorldHint"] = false;
  out["_meta"] = {{"toolway/namespace", spec.ns},
                  {"toolway/name", spec.name},
                  {"toolway/version", spec.version},
                  {"toolway/category", spec.category},
                  {"toolway/permissions", spec.permissions},
                  {"toolway/requires_approval", spec.requires_approval},
                  {"toolway/multi_step", spec.multi_step}};
  return out;
}

OrderedJson all(std::span<const model::RegisteredTool* const> tools, Format format) {
  const ApiNames names(tools);
  OrderedJson out = OrderedJson::array();
  for (const auto* tool : tools) {
    out.push_back(definition(tool->spec(), format, names.of(tool->spec())));
  }
  return out;
}

}  // namespace

bool shows_output_schema(const model::Spec& spec, Format format) {
  switch (format) {
    case Format::kToolway: return !spec.output_schema.is_null();
    case Format::kOpenAi:
    case Format::kOpenAiResponses:
    case Format::kAnthropic: return false;
    case Format::kMcp:
    case Format::kMcpTasks:
      return spec.output_schema.is_object() &&
             spec.output_schema.value("type", OrderedJson()) == "object";
    case Format::kMcpModern: return spec.output_schema.is_object();
  }
  return false;
}

OrderedJson definition(const model::Spec& spec, Format format, const std::string& api_name) {
  switch (format) {
    case Format::kToolway: return model::to_toolway_json(spec);
    case Format::kOpenAi: {
      OrderedJson function = head(spec, format, api_name);
      function["parameters"] = api_parameters(spec.input_schema, format);
      return {{"type", "function"}, {"function", std::move(function)}};
    }
    case Format::kOpenAiResponses: {
      OrderedJson out{{"type", "function"}};
      out.update(head(spec, format, api_name));
      out["parameters"] = api_parameters(spec.input_schema, format);
      // Left out it means true there, which takes a small subset of JSON Schema only.
      out["strict"] = false;
      return out;
    }
    case Format::kAnthropic: {
      OrderedJson out = head(spec, format, api_name);
      out["input_schema"] = api_parameters(spec.input_schema, format);
      return out;
    }
    case Format::kMcp:
    case Format::kMcpTasks:
    case Format::kMcpModern: return mcp(spec, format, api_name);
  }
  return model::to_toolway_json(spec);
}

OrderedJson definitions(const model::Registry& registry, Format format,
                        std::span<const std::string> namespaces) {
  return all(registry.list(namespaces), format);
}

OrderedJson definitions(const model::Registry& registry, Format format) {
  return all(registry.list(), format);
}

}  // namespace toolway::tools::exports
