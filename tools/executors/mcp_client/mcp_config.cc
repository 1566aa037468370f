#include "tools/executors/mcp_client/mcp_config.h"

#include <fmt/format.h>

#include "base/ids.h"
#include "base/strict_object.h"

namespace toolway::tools::executors::mcp_client {

std::vector<Mistake> check_mcp_config(const OrderedJson& config) {
  const std::string at = "/implementation_config";
  if (!config.is_object())
    return {{at, "`implementation_config` must be a mapping with `server` and `tool`"}};
  Mistakes mistakes;
  StrictObject fields(config, "an mcp tool", mistakes, at);
  for (const auto* name : {"server", "tool"}) {
    const auto* found = fields.value(name);
    if (found == nullptr || !found->is_string() || found->get_ref<const std::string&>().empty())
      fields.wrong(name, fmt::format("`implementation_config.{}` must be text", name));
  }
  fields.nothing_else();
  if (mistakes.count() == 0 && !valid_name(config.at("server").get_ref<const std::string&>())) {
    fields.wrong("server",
                 "`implementation_config.server` must be 1 to 64 characters of A-Z a-z 0-9 _ -");
  }
  return std::move(mistakes).take();
}

Result<McpConfig> parse_mcp_config(const OrderedJson& config) {
  const auto mistakes = check_mcp_config(config);
  if (!mistakes.empty()) return fail(ErrorCode::kInvalidSpec, mistakes.front().message);
  return McpConfig{config.at("server").get<std::string>(), config.at("tool").get<std::string>()};
}

}  // namespace toolway::tools::executors::mcp_client
