#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/tool_filter.h"
#include "tools/exports/api_names.h"
#include "tools/exports/format.h"
#include "tools/live_registry.h"

namespace toolway::gateway {

/// A list of tools as clients get it.
struct ToolList {
  std::string json;    ///< an array
  std::string digest;  ///< of the tools in it: the same in every format
};

/// Renders lists of tools, once per version of the registry, set of namespaces, and format.
/// What a session sees costs what that session sees, however many tools there are.
class ToolsView {
 public:
  explicit ToolsView(const tools::LiveRegistry& registry) : live_(registry) {}
  std::shared_ptr<const ToolList> of(std::span<const std::string> namespaces,
                                     tools::Format format = tools::Format::kToolway);
  /// Every tool that the filter wants. Only the list of all is kept.
  std::shared_ptr<const ToolList> all(tools::Format format, const ToolFilter& filter = {});
  /// What models call the tools of these namespaces.
  std::shared_ptr<const tools::ApiNames> names(std::span<const std::string> namespaces);

 private:
  using Tools = std::vector<const tools::RegisteredTool*>;
  /// One set of namespaces.
  struct Seen {
    Tools tools;  ///< of registry_
    std::shared_ptr<const tools::ApiNames> names;
    std::array<std::shared_ptr<const ToolList>, tools::kFormats> lists;
  };
  /// Forgets what was made from an older registry.
  void look();
  Seen& seen(std::span<const std::string> namespaces);
  Seen& remember(std::string key, Tools tools);
  static const std::shared_ptr<const ToolList>& list_of(Seen& seen, tools::Format format);

  const tools::LiveRegistry& live_;
  std::shared_ptr<const tools::Registry> registry_;
  std::unordered_map<std::string, Seen> seen_;
};

/// `{"tools": …, "digest": …}`
std::string tools_json(const ToolList& list);

}  // namespace toolway::gateway
