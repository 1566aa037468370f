#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>

#include "tools/live_registry.h"

namespace toolway::gateway {

/// A list of tools as clients get it.
struct ToolList {
  std::string json;    ///< an array
  std::string digest;  ///< equal for equal lists
};

/// Renders lists of tools, once per set of namespaces and version of the registry.
class ToolsView {
 public:
  explicit ToolsView(const tools::LiveRegistry& registry) : live_(registry) {}
  std::shared_ptr<const ToolList> of(std::span<const std::string> namespaces);
  std::shared_ptr<const ToolList> all();

 private:
  /// Forgets what was rendered from an older one.
  void look();

  const tools::LiveRegistry& live_;
  std::shared_ptr<const tools::Registry> registry_;
  std::unordered_map<std::string, std::shared_ptr<const ToolList>> rendered_;
};

/// `{"tools": …, "digest": …}`
std::string tools_json(const ToolList& list);

}  // namespace toolway::gateway
