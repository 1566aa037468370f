#pragma once

#include <string>

#include "base/json.h"
#include "tests/chaos/randomness.h"

namespace toolway::chaos {

/// What the checker must know of a tool.
struct ToolRules {
  bool idempotent = true;
  bool leaves_traces = false;  ///< writes effects.log
  unsigned attempts = 1;       ///< that its retry policy allows, when it lists codes
};
/// Of a tool of the workload, by name without namespace.
ToolRules rules_of(const std::string& tool);

struct CallChoice {
  std::string tool;
  OrderedJson arguments;
  OrderedJson limits;  ///< null: none
};
/// A call at random, whose result and reports carry `token`.
CallChoice choose_call(Randomness& random, const std::string& token);
/// The same for MCP clients, which are asked questions, too, and cannot set limits.
CallChoice choose_mcp_call(Randomness& random, const std::string& token);

}  // namespace toolway::chaos
