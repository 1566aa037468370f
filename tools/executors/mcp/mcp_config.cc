#include "tools/executors/mcp/mcp_config.h"

#include <fmt/format.h>

#include "base/ids.h"
#include "tools/schema/json_pointer.h"

namespace toolway::tools {

std::vector<SpecMistake> check_mcp_config(const OrderedJson& config) {
  const std::string at = "/implementation_config";
  if (!config.is_object())
    return {{at, "`implementation_config` must be a mapping with `server` and `tool`"}};
  std::vector<SpecMistake> mistakes;
  for (const auto* name : {"server", "tool"}) {
    const auto found = config.find(name);
    if (found == config.end() || !found->is_string() ||
        found->get_ref<const std::string&>().empty()) {
      mistakes.push_back(
          {pointer_to(at, name), fmt::format("`implementation_config.{}` must be text", name)});
    }
  }
  for (const auto& [key, value] : config.items()) {
    if (key != "server" && key != "tool") {
      mistakes.push_back(
          {pointer_to(at, key), fmt::format("an mcp tool has no `{}`; it has server, tool", key)});
    }
  }
  if (mistakes.empty() && !valid_name(config.at("server").get_ref<const std::string&>())) {
    mistakes.push_back(
        {at + "/server",
         "`implementation_config.server` must be 1 to 64 characters of A-Z a-z 0-9 _ -"});
  }
  return mistakes;
}

Result<McpConfig> parse_mcp_config(const OrderedJson& config) {
  const auto mistakes = check_mcp_config(config);
  if (!mistakes.empty()) return fail(ErrorCode::kInvalidSpec, mistakes.front().what);
  return McpConfig{config.at("server").get<std::string>(), config.at("tool").get<std::string>()};
}

}  // namespace toolway::tools
