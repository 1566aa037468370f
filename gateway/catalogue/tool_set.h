#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "extensions/grants.h"
#include "proto/switches.h"
#include "tools/exports/api_names.h"
#include "tools/exports/format.h"
#include "tools/model/live_registry.h"

/// Sets of tools and the lists that clients get of them, made from immutable values: on any thread.
namespace toolway::gateway::catalogue {

using Tools = std::vector<const tools::model::RegisteredTool*>;

/// The tools that exist at one moment, and which of them are switched off. Neither is null.
struct ToolsNow {
  std::shared_ptr<const tools::model::Registry> registry;
  std::shared_ptr<const proto::Switches> switches;

  bool operator==(const ToolsNow&) const = default;
};

/// Some of them.
struct ToolSet {
  ToolsNow now;
  Tools tools;                     ///< of now.registry
  tools::exports::ApiNames names;  ///< what models call them
};

/// The tools of these namespaces that the caller may know of.
Tools tools_of(const tools::model::Registry& registry, std::span<const std::string> namespaces,
               const extensions::GrantsPtr& grants);

/// `session_key`: whose versions of tools they are; empty: the stable ones.
ToolSet tool_set(ToolsNow now, Tools tools, std::string_view session_key);

/// A list of tools as clients get it.
struct ToolList {
  std::string json;    ///< an array
  std::string digest;  ///< of the tools in it: the same in every format
};

/// Whether a list also shows what is switched off, and candidates.
enum class Off { kLeftOut, kShown };

ToolList tool_list(const ToolSet& set, tools::exports::Format format, Off off);

/// `{"tools": …, "digest": …}`
void append_tools(std::string& out, const ToolList& list);

/// The cost of making a set or a list of these, in bytes of their specs: about 40 ns each. Counted
/// until it is more than `enough`.
std::size_t cost_of(std::span<const tools::model::RegisteredTool* const> tools, std::size_t enough);

}  // namespace toolway::gateway::catalogue
