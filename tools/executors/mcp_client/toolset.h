#pragma once

#include <string>
#include <vector>

#include "tools/executors/mcp_client/server_config.h"
#include "tools/executors/mcp_client/tool_listing.h"

namespace toolway::tools::executors::mcp_client {

/// The specs of a server's tools, and what is not offered.
struct MappedTools {
  std::vector<model::Spec> specs;    ///< sorted by name
  std::vector<std::string> refused;  ///< `tool 'x': why`
};

/// What may be offered of one server: it has to travel to the gateways.
inline constexpr std::size_t kMaxOffered = 2'000;
inline constexpr std::size_t kMaxOfferedBytes = 8 * 1024 * 1024;

/// A spec for each tool that can be one; the others are refused, each by itself. Names become valid
/// and stay the same whatever else is in the list, so long as two do not become one. Pure.
MappedTools map_tools(const ServerConfig& server, ListedTools listed);

/// A name as ours may be (`[A-Za-z0-9_-]{1,64}`): other characters become `_`, and what is too long
/// is cut, with a part of its hash after it. Returns an empty name for one of more than 128 bytes.
std::string offered_name(const std::string& name);

/// A schema of an older draft in the words of 2020-12, as far as tools use them: `definitions`,
/// lists in `items`, `additionalItems`; others stay as they are.
OrderedJson modern_schema(OrderedJson schema);

}  // namespace toolway::tools::executors::mcp_client
