#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/executors/mcp_client/server_config.h"

/// What a gateway takes of a toolset. Writers of sets are trusted no more than the MCP server
/// itself: a set says which tools the server has, in the server's own words, and all else comes
/// from the gateway's own list of servers. Pure.
namespace toolway::cli::process {

/// The tools of one server.
struct TakenTools {
  std::vector<tools::model::Spec> specs;
  std::vector<std::string> mistakes;  ///< what is not taken, and why: `tool 'x': …`
};

/// Of documents as `to_document` makes them: only tools of kind `mcp` of that server, in its
/// namespace and for its pool. Names and bounds as when a worker maps the server's list;
/// idempotent, permissions, limits and the like as the list of servers says.
TakenTools take_tools(const tools::executors::mcp_client::ServerConfig& server,
                      const std::vector<std::string_view>& documents);

}  // namespace toolway::cli::process
