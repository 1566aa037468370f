#include "cli/process/toolset_tools.h"

#include <fmt/format.h>

#include "tools/executors/kind_types.h"
#include "tools/executors/mcp_client/mcp_config.h"
#include "tools/executors/mcp_client/toolset.h"
#include "tools/model/readable.h"
#include "tools/specs/bounds.h"

namespace toolway::cli::process {
namespace {

constexpr std::size_t kMaxShown = 64;
constexpr std::size_t kMaxMistakes = 50;

std::string shown(const std::string& text) {
  return fmt::format("'{}'", tools::model::readable(text.substr(0, kMaxShown)));
}

/// Why it is not a tool of that server; empty: it is one.
std::string fault_of(const tools::executors::mcp_client::ServerConfig& server,
                     const tools::model::Spec& spec) {
  if (spec.kind != tools::model::Kind::kMcp)
    return fmt::format("it is of kind {}: a toolset has only tools of kind mcp", spec.kind.name);
  if (const auto mistakes = tools::executors::mcp_client::check_mcp_config(spec.implementation);
      !mistakes.empty())
    return mistakes.front().message;
  if (const auto& named = spec.implementation.at("server").get_ref<const std::string&>();
      named != server.name) {
    return fmt::format("it is of server {}, but this is the toolset of '{}'", shown(named),
                       server.name);
  }
  if (spec.ns != server.defaults.ns) {
    return fmt::format("its namespace is {}; this gateway's list of servers says '{}'",
                       shown(spec.ns), server.defaults.ns);
  }
  if (spec.pool != server.defaults.pool) {
    return fmt::format("its pool is {}; this gateway's list of servers says '{}'", shown(spec.pool),
                       server.defaults.pool);
  }
  return {};
}

/// As the server itself may have said it.
mcp::ToolDefinition definition_of(tools::model::Spec spec) {
  mcp::ToolDefinition tool;
  tool.name = spec.implementation.at("tool").get<std::string>();
  tool.title = std::move(spec.topic);
  tool.description = std::move(spec.description);
  tool.input_schema = std::move(spec.input_schema);
  tool.output_schema = std::move(spec.output_schema);
  tool.annotations = {
      .read_only = {}, .destructive = spec.dangerous, .idempotent = spec.idempotent};
  return tool;
}

}  // namespace

TakenTools take_tools(const tools::executors::mcp_client::ServerConfig& server,
                      const std::vector<std::string_view>& documents) {
  TakenTools taken;
  std::size_t wrong = 0;
  const auto refuse = [&](std::string why) {
    if (++wrong <= kMaxMistakes) taken.mistakes.push_back(std::move(why));
  };
  tools::executors::mcp_client::ListedTools listed;
  for (const auto document : documents) {
    if (document.size() > tools::specs::kMaxSpecBytes) {
      refuse(fmt::format("a tool of {} bytes; {} are allowed", document.size(),
                         tools::specs::kMaxSpecBytes));
      continue;
    }
    auto spec = tools::specs::spec_of_document(document, tools::executors::kind_types());
    if (!spec) {
      refuse(spec.error().message);
    } else if (const auto fault = fault_of(server, *spec); !fault.empty()) {
      refuse(fmt::format("tool {}: {}", shown(spec->name), fault));
    } else {
      listed.tools.push_back(definition_of(*std::move(spec)));
    }
  }
  auto mapped = tools::executors::mcp_client::map_tools(server, std::move(listed));
  for (auto& why : mapped.refused) refuse(std::move(why));
  if (wrong > kMaxMistakes)
    taken.mistakes.push_back(fmt::format("{} more tools were left out", wrong - kMaxMistakes));
  taken.specs = std::move(mapped.specs);
  return taken;
}

}  // namespace toolway::cli::process
