#pragma once

#include <string>

namespace toolway::cli::bench::kinds {

/// `toolway bench-mcp-server`: an MCP server with one tool that does nothing, for measuring: over
/// stdio, or over HTTP with its port in `port_file`. Returns the exit status.
int run_bench_mcp_server(const std::string& port_file);

}  // namespace toolway::cli::bench::kinds
