#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace toolway::mcp {

/// Who the other side says it is: for people and logs, never for a decision.
struct Implementation {
  std::string name;
  std::string version;
};

/// What a server can do, as far as a client that calls tools has to know.
struct ServerCapabilities {
  bool tools = false;
  bool tools_list_changed = false;
};

/// The answer to `initialize` (2025-11-25, basic/lifecycle).
struct InitializeResult {
  std::string revision;  ///< which the server chose; perhaps one that we do not speak
  ServerCapabilities capabilities;
  Implementation server;
};

/// The answer to `server/discover` (2026-07-28, server/discover).
struct DiscoverResult {
  std::vector<std::string> revisions;
  ServerCapabilities capabilities;
  Implementation server;
};

/// Errors: kInvalidRequest, naming what is wrong.
Result<InitializeResult> decode_initialize(const Json& result);
Result<DiscoverResult> decode_discover(const Json& result);

/// What `data.supported` of an unsupported-revision error names; empty: nothing.
std::vector<std::string> supported_revisions(const Json& error_data);

}  // namespace toolway::mcp
