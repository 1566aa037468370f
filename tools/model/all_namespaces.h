#pragma once

#include <span>
#include <string>
#include <string_view>

namespace toolway::tools::model {

/// Alone in a list of namespaces it means every namespace of the fleet, also those that come later.
/// No namespace has this name.
inline constexpr std::string_view kAllNamespaces = "*";

inline bool are_all(std::span<const std::string> namespaces) {
  return namespaces.size() == 1 && namespaces.front() == kAllNamespaces;
}

}  // namespace toolway::tools::model
