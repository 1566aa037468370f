#pragma once

#include <string>

#include "base/clock.h"
#include "cli/client/verbs.h"

namespace toolway::cli::mcp_serve {

struct ServeOptions {
  std::string session;       ///< empty: the caller's own, `mcp`
  unsigned patience_s = 60;  ///< with a gateway that is not there
  std::string log_level = "info";
};

/// Speaks MCP on standard input and output until the input ends and everything is answered. Returns
/// the exit status. `clock` outlives it.
int serve(const client::ClientContext& context, const ServeOptions& options, const Clock& clock);

}  // namespace toolway::cli::mcp_serve
