#include "tools/model/registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/held_pool.h"
#include "base/ids.h"
#include "base/nearest_names.h"
#include "base/sha256.h"
#include "base/try.h"
#include "tools/model/all_namespaces.h"
#include "tools/model/local_context.h"
#include "tools/model/rollout.h"
#include "tools/schema/secret_places.h"

namespace toolway::tools::model {
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
  return are_all(namespaces) ||
         std::find(namespaces.begin(), namespaces.end(), ns) != namespaces.end();
}

/// The namespaces of tools that are sorted by qualified name; costs what there are namespaces, not
/// tools.
std::vector<std::string> namespaces_of(std::span<const RegisteredToolPtr> tools) {
  std::vector<std::string> found;
  for (auto at = tools.begin(); at != tools.end();) {
    found.push_back((*at)->spec().ns);
    at = std::partition_point(at, tools.end(), [&](const RegisteredToolPtr& tool) {
      return tool->spec().ns == found.back();
    });
  }
  return found;
}

/// What a client sent, fit for a message.
std::string shown(std::string_view tool) {
  return valid_name(tool) ? std::string(tool) : to_text(Json(tool.substr(0, 130)));
}

tl::unexpected<Error> refuse(const Spec& spec, const std::string& what) {
  return fail(ErrorCode::kInvalidSpec, fmt::format("tool '{}': {}", spec.qualified_name(), what));
}

}  // namespace

Result<RegisteredToolPtr> register_tool(std::shared_ptr<const Tool> tool) {
  const auto checks =
      tool->spec().kind == Kind::kNative ? SchemaChecks::kByTool : SchemaChecks::kByRun;
  return register_tool(std::move(tool), checks);
}

Result<RegisteredToolPtr> register_tool(std::shared_ptr<const Tool> tool, SchemaChecks checks) {
  const Spec& spec = tool->spec();
  constexpr std::string_view kRule = "must be 1 to 64 characters of A-Z a-z 0-9 _ -";
  if (!valid_name(spec.name)) return refuse(spec, fmt::format("the name {}", kRule));
  if (!valid_name(spec.ns)) return refuse(spec, fmt::format("the namespace {}", kRule));
  if (!valid_name(spec.pool)) return refuse(spec, fmt::format("the pool {}", kRule));
  if (spec.pool == kHeldPool) return refuse(spec, std::string(kHeldPoolTaken));
  if (!spec.input_schema.is_object() ||
      spec.input_schema.value("type", OrderedJson()) != "object") {
    return refuse(spec, "the input schema must say \"type\": \"object\"");
  }
  auto input = schema::compile_schema(spec.input_schema);
  if (!input) return refuse(spec, "input " + input.error().message);
  std::shared_ptr<const schema::CompiledSchema> output;
  if (!spec.output_schema.is_null()) {
    auto compiled = schema::compile_schema(spec.output_schema);
    if (!compiled) return refuse(spec, "output " + compiled.error().message);
    output = *std::move(compiled);
  }
  const std::string text = canonical_text(spec);
  const bool for_benchmarks = spec.ns == "bench" && spec.category == "benchmark";
  const bool secret_arguments = schema::marks_secrets(spec.input_schema);
  const bool secret_result = schema::marks_secrets(spec.output_schema);
  return std::make_shared<const RegisteredTool>(
      RegisteredTool{.tool = std::move(tool),
                     .input = *std::move(input),
                     .output = std::move(output),
                     .digest = "sha256:" + sha256_hex(text),
                     .spec_bytes = text.size(),
                     .checks = checks,
                     .for_benchmarks = for_benchmarks,
                     .secret_arguments = secret_arguments,
                     .secret_result = secret_result});
}

Result<std::shared_ptr<const Registry>> Registry::of(std::vector<RegisteredToolPtr> tools,
                                                     std::vector<Candidate> candidates) {
  const auto order = [](const RegisteredToolPtr& a, const RegisteredToolPtr& b) {
    return compare(a->spec().ns, a->spec().name, b->spec());
  };
  std::sort(tools.begin(), tools.end(),
            [&](const auto& a, const auto& b) { return order(a, b) < 0; });
  const auto twice = std::adjacent_find(
      tools.begin(), tools.end(), [&](const auto& a, const auto& b) { return order(a, b) == 0; });
  if (twice != tools.end()) return refuse((*twice)->spec(), "two tools have that name");
  auto registry = std::make_shared<Registry>();
  registry->tools_ = std::move(tools);
  std::sort(candidates.begin(), candidates.end(),
            [&](const auto& a, const auto& b) { return order(a.tool, b.tool) < 0; });
  for (const auto& [tool, percent] : candidates) {
    const Spec& spec = tool->spec();
    if (!registry->find(spec.ns, spec.name))
      return refuse(spec, "its candidate has no stable version");
    if (registry->candidate_of(spec.ns, spec.name))
      return refuse(spec, "two candidates have that name");
    registry->candidates_.push_back({tool, percent});
  }
  return registry;
}

const Candidate* Registry::candidate_of(std::string_view ns, std::string_view name) const {
  const auto found = std::partition_point(
      candidates_.begin(), candidates_.end(),
      [&](const Candidate& one) { return compare(ns, name, one.tool->spec()) > 0; });
  return found != candidates_.end() && compare(ns, name, found->tool->spec()) == 0 ? &*found
                                                                                   : nullptr;
}

const RegisteredTool* Registry::version_for(std::string_view session_key,
                                            const RegisteredTool* tool) const {
  if (candidates_.empty()) return tool;
  const Spec& spec = tool->spec();
  const auto* candidate = candidate_of(spec.ns, spec.name);
  const bool gets_it =
      candidate != nullptr && in_rollout(session_key, spec.qualified_name(), candidate->percent);
  return gets_it ? candidate->tool.get() : tool;
}

RegisteredToolPtr Registry::version_for(std::string_view session_key,
                                        const RegisteredToolPtr& tool) const {
  const auto* version = version_for(session_key, tool.get());
  if (version == tool.get()) return tool;
  return candidate_of(tool->spec().ns, tool->spec().name)->tool;
}

Result<void> Registry::add(std::shared_ptr<const Tool> tool) {
  ASSIGN_OR_RETURN(auto registered, register_tool(std::move(tool)));
  const Spec& spec = registered->spec();
  if (find(spec.ns, spec.name)) return refuse(spec, "a tool of that name already exists");
  const auto place =
      std::find_if(tools_.begin(), tools_.end(), [&](const RegisteredToolPtr& other) {
        return compare(spec.ns, spec.name, other->spec()) < 0;
      });
  tools_.insert(place, std::move(registered));
  return {};
}

RegisteredToolPtr Registry::find(std::string_view ns, std::string_view name) const {
  const auto found = std::partition_point(
      tools_.begin(), tools_.end(),
      [&](const RegisteredToolPtr& tool) { return compare(ns, name, tool->spec()) > 0; });
  return found != tools_.end() && compare(ns, name, (*found)->spec()) == 0 ? *found : nullptr;
}

Result<RegisteredToolPtr> Registry::resolve(std::span<const std::string> namespaces,
                                            std::string_view tool,
                                            const std::function<bool(const Spec&)>& offered) const {
  std::vector<RegisteredToolPtr> matches;
  if (const auto dot = tool.find('.'); dot != std::string_view::npos) {
    auto found = find(tool.substr(0, dot), tool.substr(dot + 1));
    if (found && has(namespaces, found->spec().ns)) matches.push_back(std::move(found));
  } else {
    const auto every = are_all(namespaces) ? namespaces_of(tools_) : std::vector<std::string>();
    for (const auto& ns : are_all(namespaces) ? std::span<const std::string>(every) : namespaces) {
      auto found = find(ns, tool);
      if (found && std::find(matches.begin(), matches.end(), found) == matches.end()) {
        matches.push_back(std::move(found));
      }
    }
  }
  if (matches.size() == 1) return matches.front();

  if (matches.size() > 1) {
    std::vector<std::string> choices;
    for (const auto& match : matches) choices.push_back(match->spec().qualified_name());
    std::sort(choices.begin(), choices.end());
    return fail(ErrorCode::kAmbiguousTool,
                fmt::format("tool {} is in several namespaces of this session: say {}", shown(tool),
                            quoted_choices(choices)));
  }
  // Names that occur once can be called as they are; suggest what works.
  std::vector<std::string> names;
  const bool qualified = tool.find('.') != std::string_view::npos;
  for (const auto* visible : list(namespaces)) {
    if (offered && !offered(visible->spec())) continue;
    names.push_back(qualified ? visible->spec().qualified_name() : visible->spec().name);
  }
  const auto near = nearest_names(tool, names);
  return fail(ErrorCode::kUnknownTool, near.empty()
                                           ? fmt::format("unknown tool {}", shown(tool))
                                           : fmt::format("unknown tool {}; did you mean {}?",
                                                         shown(tool), quoted_choices(near)));
}

std::vector<const RegisteredTool*> Registry::list(std::span<const std::string> namespaces) const {
  if (are_all(namespaces)) return list();
  std::vector<const RegisteredTool*> found;
  std::vector<std::string_view> wanted(namespaces.begin(), namespaces.end());
  // As they appear in qualified names: "a-b." comes before "a.".
  std::sort(wanted.begin(), wanted.end(), [](std::string_view a, std::string_view b) {
    return std::string(a) + "." < std::string(b) + ".";
  });
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  for (const auto ns : wanted) {
    // "" is before every name, so this is where the namespace begins.
    auto tool = std::partition_point(
        tools_.begin(), tools_.end(),
        [&](const RegisteredToolPtr& other) { return compare(ns, "", other->spec()) > 0; });
    for (; tool != tools_.end() && (*tool)->spec().ns == ns; ++tool) found.push_back(tool->get());
  }
  return found;
}

std::vector<const RegisteredTool*> Registry::list() const {
  std::vector<const RegisteredTool*> found;
  found.reserve(tools_.size());
  for (const auto& tool : tools_) found.push_back(tool.get());
  return found;
}

Execution Registry::execute(std::string_view qualified_name,
                            std::string_view arguments_json) const {
  const std::string every[] = {std::string(kAllNamespaces)};
  ASSIGN_OR_RETURN(const auto tool, resolve(every, qualified_name));
  ASSIGN_OR_RETURN(const auto arguments, parse_json(arguments_json));
  LocalContext context;
  ProgressTo nowhere({});
  return tool->run(arguments, context, nowhere);
}

}  // namespace toolway::tools::model
