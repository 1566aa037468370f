#include "tools/executors/mcp_client/toolset.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/ids.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "mcp/http_headers.h"
#include "tools/schema/schema.h"
#include "tools/specs/bounds.h"
#include "tools/specs/spec_checks.h"

namespace toolway::tools::executors::mcp_client {
namespace {

constexpr std::size_t kMaxServerName = 128;
constexpr std::size_t kMaxName = 64;
constexpr std::size_t kHashDigits = 8;

std::string shown(const std::string& name) {
  auto text = name.substr(0, kMaxServerName);
  while (!valid_utf8(text)) text.pop_back();
  return text;
}

std::string with_hash(const std::string& name, const std::string& of) {
  const auto kept = std::string_view(name).substr(0, kMaxName - kHashDigits - 1);
  return fmt::format("{}_{}", kept, sha256_hex(of).substr(0, kHashDigits));
}

std::string schema_fault(std::string_view which, const OrderedJson& schema) {
  if (const auto values = specs::values_in(schema); values > specs::kMaxSchemaValues) {
    return fmt::format("its {} has {} values; the limit is {}", which, values,
                       specs::kMaxSchemaValues);
  }
  const auto mistakes = schema::schema_mistakes(schema);
  if (mistakes.empty()) return {};
  const auto& first = mistakes.front();
  return fmt::format("its {}{}{}: {}", which, first.place.empty() ? "" : " at ", first.place,
                     first.message);
}

/// Why a tool cannot be offered; empty: it can.
std::string fault_of(const ServerConfig& server, const mcp::ToolDefinition& tool,
                     const model::Spec& spec) {
  if (spec.name.empty())
    return fmt::format("its name has {} bytes; the limit is {}", tool.name.size(), kMaxServerName);
  if (tool.tasks == mcp::TaskSupport::kRequired)
    return "it only runs as a task, which is not supported";
  const auto type = spec.input_schema.find("type");
  if (type == spec.input_schema.end() || *type != "object")
    return "its inputSchema does not say `type: object`";
  if (auto fault = schema_fault("inputSchema", spec.input_schema); !fault.empty()) return fault;
  if (!spec.output_schema.is_null()) {
    if (auto fault = schema_fault("outputSchema", spec.output_schema); !fault.empty()) return fault;
  }
  if (server.http) {
    if (const auto mirrored = mcp::mirrored_parameters(spec.input_schema); !mirrored)
      return mirrored.error().message;
  }
  return {};
}

model::Spec spec_of(const ServerConfig& server, mcp::ToolDefinition& tool) {
  model::Spec spec = server.defaults;
  spec.name = offered_name(tool.name);
  spec.topic = std::move(tool.title);
  spec.description = std::move(tool.description);
  spec.input_schema = modern_schema(std::move(tool.input_schema));
  spec.output_schema = modern_schema(std::move(tool.output_schema));
  spec.implementation = {{"server", server.name}, {"tool", tool.name}};
  if (server.trusts_annotations) {
    const auto& hints = tool.annotations;
    spec.idempotent =
        spec.idempotent || hints.read_only.value_or(false) || hints.idempotent.value_or(false);
    spec.dangerous =
        spec.dangerous || (hints.destructive.value_or(false) && !hints.read_only.value_or(false));
  }
  return spec;
}

/// Two names that became one: those that were changed get a hash of what they were.
void part_names(std::vector<model::Spec>& specs) {
  std::map<std::string, std::size_t> times;
  for (const auto& spec : specs) ++times[spec.name];
  for (auto& spec : specs) {
    const auto& theirs = spec.implementation.at("tool").get_ref<const std::string&>();
    if (times[spec.name] > 1 && spec.name != theirs) spec.name = with_hash(spec.name, theirs);
  }
}

void modernize(OrderedJson& schema, int depth) {
  if (schema.is_array()) {
    for (auto& item : schema) modernize(item, depth + 1);
  }
  if (!schema.is_object() || depth > static_cast<int>(kMaxJsonDepth)) return;
  if (const auto items = schema.find("items"); items != schema.end() && items->is_array()) {
    schema["prefixItems"] = std::move(*items);
    schema.erase("items");
    if (const auto rest = schema.find("additionalItems"); rest != schema.end())
      schema["items"] = *rest;
  }
  schema.erase("additionalItems");
  if (const auto reference = schema.find("$ref");
      reference != schema.end() && reference->is_string()) {
    constexpr std::string_view kOld = "#/definitions/";
    if (const auto& target = reference->get_ref<const std::string&>(); target.starts_with(kOld)) {
      *reference = "#/$defs/" + target.substr(kOld.size());
    }
  }
  for (auto& [key, inside] : schema.items()) {
    if (key != "enum" && key != "const" && key != "default" && key != "examples")
      modernize(inside, depth + 1);
  }
}

}  // namespace

std::string offered_name(const std::string& name) {
  if (name.empty() || name.size() > kMaxServerName) return {};
  std::string ours = name;
  for (char& c : ours) {
    if (!valid_name(std::string_view(&c, 1))) c = '_';
  }
  return ours.size() <= kMaxName ? ours : with_hash(ours, name);
}

OrderedJson modern_schema(OrderedJson schema) {
  const auto draft = schema.is_object() ? schema.find("$schema") : schema.end();
  if (!schema.is_object() || draft == schema.end() || !draft->is_string()) return schema;
  const auto& name = draft->get_ref<const std::string&>();
  const auto is = [&](std::string_view one) { return name.find(one) != std::string::npos; };
  if (!is("json-schema.org/draft-07") && !is("json-schema.org/draft-06") &&
      !is("json-schema.org/draft/2019-09"))
    return schema;
  schema.erase("$schema");
  if (const auto definitions = schema.find("definitions");
      definitions != schema.end() && !schema.contains("$defs")) {
    auto moved = std::move(*definitions);
    schema.erase("definitions");
    schema["$defs"] = std::move(moved);
  }
  modernize(schema, 0);
  return schema;
}

MappedTools map_tools(const ServerConfig& server, ListedTools listed) {
  MappedTools mapped;
  mapped.refused = std::move(listed.refused);
  const auto refuse = [&](const std::string& name, std::string_view why) {
    mapped.refused.push_back(fmt::format("tool '{}': {}", shown(name), why));
  };
  std::vector<model::Spec> specs;
  std::map<std::string, bool, std::less<>> seen;
  for (auto& tool : listed.tools) {
    if (!wants(server, tool.name)) continue;
    if (!seen.emplace(tool.name, true).second) {
      refuse(tool.name, "it is listed twice");
      continue;
    }
    const std::string name = tool.name;
    auto spec = spec_of(server, tool);
    if (const auto fault = fault_of(server, tool, spec); !fault.empty())
      refuse(name, fault);
    else
      specs.push_back(std::move(spec));
  }
  part_names(specs);
  std::sort(specs.begin(), specs.end(),
            [](const model::Spec& a, const model::Spec& b) { return a.name < b.name; });
  std::size_t all = 0;
  for (auto& spec : specs) {
    const auto theirs = spec.implementation.at("tool").get<std::string>();
    const auto bytes = to_text(model::to_document(spec)).size();
    if (bytes > specs::kMaxSpecBytes) {
      refuse(theirs, fmt::format("it has {} bytes of description and schemas; the limit is {}",
                                 bytes, specs::kMaxSpecBytes));
    } else if (mapped.specs.size() >= kMaxOffered || all + bytes > kMaxOfferedBytes) {
      refuse(theirs, fmt::format("at most {} tools of {} MiB are offered per server", kMaxOffered,
                                 kMaxOfferedBytes >> 20));
    } else if (!mapped.specs.empty() && mapped.specs.back().name == spec.name) {
      refuse(theirs, "another tool of the list gets the same name");
    } else {
      all += bytes;
      mapped.specs.push_back(std::move(spec));
    }
  }
  return mapped;
}

}  // namespace toolway::tools::executors::mcp_client
