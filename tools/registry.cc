#include "tools/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/ids.h"
#include "tools/local_context.h"
#include "tools/nearest_names.h"

namespace toolway::tools {
namespace {

/// Compares two qualified names, character by character, without building them.
int compare(std::string_view ns, std::string_view name, const Spec& spec) {
  const auto at = [](std::string_view n, std::string_view t, std::size_t i) {
    const char c = i < n.size() ? n[i] : i == n.size() ? '.' : t[i - n.size() - 1];
    return static_cast<int>(static_cast<unsigned char>(c));
  };
  const std::size_t left = ns.size() + 1 + name.size();
  const std::size_t right = spec.ns.size() + 1 + spec.name.size();
  for (std::size_t i = 0; i < std::min(left, right); ++i) {
    if (const int order = at(ns, name, i) - at(spec.ns, spec.name, i); order != 0) return order;
  }
  return left < right ? -1 : left > right ? 1 : 0;
}

bool has(std::span<const std::string> namespaces, std::string_view ns) {
  return std::find(namespaces.begin(), namespaces.end(), ns) != namespaces.end();
}

/// What a client sent, fit for a message.
std::string shown(std::string_view tool) {
  return valid_name(tool) ? std::string(tool) : to_text(Json(tool.substr(0, 130)));
}

tl::unexpected<Error> refuse(const Spec& spec, const std::string& what) {
  return fail(ErrorCode::kInvalidSpec, fmt::format("tool '{}': {}", spec.qualified_name(), what));
}

}  // namespace

Result<void> Registry::add(std::shared_ptr<const Tool> tool) {
  const Spec& spec = tool->spec();
  constexpr std::string_view kRule = "must be 1 to 64 characters of A-Z a-z 0-9 _ -";
  if (!valid_name(spec.name)) return refuse(spec, fmt::format("the name {}", kRule));
  if (!valid_name(spec.ns)) return refuse(spec, fmt::format("the namespace {}", kRule));
  if (!valid_name(spec.pool)) return refuse(spec, fmt::format("the pool {}", kRule));
  if (find(spec.ns, spec.name) != nullptr) return refuse(spec, "there is a tool of that name already");
  if (!spec.input_schema.is_object() || spec.input_schema.value("type", OrderedJson()) != "object") {
    return refuse(spec, "the input schema must say \"type\": \"object\"");
  }
  auto input = compile_schema(spec.input_schema);
  if (!input) return refuse(spec, "input " + input.error().message);
  if (!spec.output_schema.is_null()) {
    const auto output = compile_schema(spec.output_schema);
    if (!output) return refuse(spec, "output " + output.error().message);
  }
  const auto place = std::find_if(tools_.begin(), tools_.end(), [&](const RegisteredTool& other) {
    return compare(spec.ns, spec.name, other.spec()) < 0;
  });
  tools_.insert(place, {.tool = tool, .input = *std::move(input), .digest = digest(spec)});
  return {};
}

const RegisteredTool* Registry::find(std::string_view ns, std::string_view name) const {
  const auto found = std::partition_point(
      tools_.begin(), tools_.end(),
      [&](const RegisteredTool& tool) { return compare(ns, name, tool.spec()) > 0; });
  return found != tools_.end() && compare(ns, name, found->spec()) == 0 ? &*found : nullptr;
}

Result<const RegisteredTool*> Registry::resolve(std::span<const std::string> namespaces,
                                                std::string_view tool) const {
  std::vector<const RegisteredTool*> matches;
  if (const auto dot = tool.find('.'); dot != std::string_view::npos) {
    const auto* found = find(tool.substr(0, dot), tool.substr(dot + 1));
    if (found != nullptr && has(namespaces, found->spec().ns)) matches.push_back(found);
  } else {
    for (const auto& ns : namespaces) {
      const auto* found = find(ns, tool);
      if (found != nullptr && std::find(matches.begin(), matches.end(), found) == matches.end()) {
        matches.push_back(found);
      }
    }
  }
  if (matches.size() == 1) return matches.front();

  if (matches.size() > 1) {
    std::vector<std::string> choices;
    for (const auto* match : matches) choices.push_back(match->spec().qualified_name());
    std::sort(choices.begin(), choices.end());
    return fail(ErrorCode::kAmbiguousTool,
                fmt::format("tool {} is in several namespaces of this session: say {}", shown(tool),
                            quoted_choices(choices)));
  }
  // Names that occur once can be called as they are; suggest what works.
  std::vector<std::string> names;
  const bool qualified = tool.find('.') != std::string_view::npos;
  for (const auto* visible : list(namespaces)) {
    names.push_back(qualified ? visible->spec().qualified_name() : visible->spec().name);
  }
  const auto near = nearest_names(tool, names);
  return fail(ErrorCode::kUnknownTool,
              near.empty() ? fmt::format("unknown tool {}", shown(tool))
                           : fmt::format("unknown tool {}; did you mean {}?", shown(tool),
                                         quoted_choices(near)));
}

std::vector<const RegisteredTool*> Registry::list(std::span<const std::string> namespaces) const {
  std::vector<const RegisteredTool*> found;
  for (const auto& tool : tools_) {
    if (has(namespaces, tool.spec().ns)) found.push_back(&tool);
  }
  return found;
}

std::vector<const RegisteredTool*> Registry::list() const {
  std::vector<const RegisteredTool*> found;
  found.reserve(tools_.size());
  for (const auto& tool : tools_) found.push_back(&tool);
  return found;
}

Execution Registry::execute(std::string_view qualified_name, std::string_view arguments_json) const {
  std::set<std::string> every;
  for (const auto& tool : tools_) every.insert(tool.spec().ns);
  const std::vector<std::string> namespaces(every.begin(), every.end());
  const auto tool = resolve(namespaces, qualified_name);
  if (!tool) return tl::unexpected(ToolError(tool.error()));
  const auto arguments = parse_json(arguments_json);
  if (!arguments) return tl::unexpected(ToolError(arguments.error()));
  LocalContext context;
  ProgressTo nowhere({});
  return (*tool)->tool->execute(*arguments, context, nowhere);
}

}  // namespace toolway::tools
