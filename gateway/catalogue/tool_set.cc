#include "gateway/catalogue/tool_set.h"

#include "base/sha256.h"
#include "gateway/wire/json_text.h"
#include "tools/exports/definitions.h"
#include "tools/model/all_namespaces.h"

namespace toolway::gateway::catalogue {
namespace {

/// Bytes of a tool's definition apart from its spec's text: names, punctuation, what has a default.
constexpr std::size_t kPerTool = 256;

OrderedJson disabled(const proto::Switch& off) {
  return {{"reason", off.reason}, {"by", off.by}, {"at", off.at}};
}

OrderedJson candidate(const tools::model::Candidate& rolled_out) {
  return {{"rollout", rolled_out.percent},
          {"version", rolled_out.tool->spec().version},
          {"digest", rolled_out.tool->digest}};
}

}  // namespace

Tools tools_of(const tools::model::Registry& registry, std::span<const std::string> namespaces,
               const extensions::GrantsPtr& grants) {
  Tools found = registry.list(namespaces);
  // A session sees these when it names their namespace.
  if (tools::model::are_all(namespaces))
    std::erase_if(found, [](const auto* tool) { return tool->for_benchmarks; });
  if (grants)
    std::erase_if(found, [&](const auto* tool) { return !grants->may_call(tool->spec()); });
  return found;
}

ToolSet tool_set(ToolsNow now, Tools tools, std::string_view session_key) {
  if (!session_key.empty()) {
    for (const auto*& tool : tools) tool = now.registry->version_for(session_key, tool);
  }
  tools::exports::ApiNames names(tools);
  return {.now = std::move(now), .tools = std::move(tools), .names = std::move(names)};
}

ToolList tool_list(const ToolSet& set, tools::exports::Format format, Off shown) {
  ToolList list;
  Sha256 hash;
  wire::ListText text(list.json);
  for (const auto* tool : set.tools) {
    const tools::model::Spec& spec = tool->spec();
    const auto* off = set.now.switches->off(spec.ns, spec.name);
    if (off != nullptr && shown == Off::kLeftOut) continue;
    text.next();
    auto definition = tools::exports::definition(spec, format, set.names.of(spec));
    if (off != nullptr) definition["disabled"] = disabled(*off);
    const auto* rolled_out =
        shown == Off::kShown ? set.now.registry->candidate_of(spec.ns, spec.name) : nullptr;
    if (rolled_out != nullptr) definition["candidate"] = candidate(*rolled_out);
    list.json += to_text(definition);
    if (off == nullptr) hash.add(spec.qualified_name() + "\n" + tool->digest + "\n");
  }
  text.end();
  list.digest = "sha256:" + hash.hex();
  return list;
}

void append_tools(std::string& out, const ToolList& list) {
  out.reserve(out.size() + list.json.size() + 128);
  wire::ObjectText object(out);
  object.json("tools", list.json);
  object.text("digest", list.digest);
  object.end();
}

std::size_t cost_of(std::span<const tools::model::RegisteredTool* const> tools,
                    std::size_t enough) {
  std::size_t bytes = 0;
  for (const auto* tool : tools) {
    bytes += kPerTool + tool->spec_bytes;
    if (bytes > enough) break;
  }
  return bytes;
}

}  // namespace toolway::gateway::catalogue
