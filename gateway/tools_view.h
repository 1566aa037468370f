#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>

#include "tools/registry.h"

namespace toolway::gateway {

/// A list of tools as clients get it.
struct ToolList {
  std::string json;    ///< an array
  std::string digest;  ///< equal for equal lists
};

/// Renders lists of tools, once per set of namespaces.
class ToolsView {
 public:
  explicit ToolsView(const tools::Registry& registry) : registry_(registry) {}
  std::shared_ptr<const ToolList> of(std::span<const std::string> namespaces);
  std::shared_ptr<const ToolList> all();

 private:
  const tools::Registry& registry_;
  std::unordered_map<std::string, std::shared_ptr<const ToolList>> rendered_;
};

/// `{"tools": …, "digest": …}`
std::string tools_json(const ToolList& list);

}  // namespace toolway::gateway
