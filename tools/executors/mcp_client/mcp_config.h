#pragma once

#include <string>
#include <vector>

#include "base/mistake.h"
#include "tools/model/kinds.h"

namespace toolway::tools::executors::mcp_client {

/// The implementation config of a spec of kind `mcp`.
struct McpConfig {
  std::string server;  ///< of the workers' file of servers
  std::string tool;    ///< as that server calls it
};

/// Errors: kInvalidSpec with the first mistake.
Result<McpConfig> parse_mcp_config(const OrderedJson& config);
std::vector<Mistake> check_mcp_config(const OrderedJson& config);

}  // namespace toolway::tools::executors::mcp_client
