#pragma once

#include <functional>
#include <map>
#include <string>

#include "cli/client/verbs.h"

/// `toolway mcp …`. Each prints, and returns the exit status.
namespace toolway::cli::mcp_check {

struct McpOptions {
  std::string servers;   ///< the file of servers
  std::string profiles;  ///< of sandboxes; empty: the standard ones
  std::string secrets_directory;
  std::map<std::string, std::string, std::less<>> secrets;  ///< from the environment
  unsigned timeout_s = 0;  ///< for each server to start, instead of its own; 0: its own
  terminal::View view;
};

/// Reads the file, connects to each of its servers as a worker does, and says what it offers.
int check_mcp_servers(const McpOptions& options);

}  // namespace toolway::cli::mcp_check
