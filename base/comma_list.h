#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace toolway {

/// The entries of a list with commas between, without blanks around them; empty ones are none.
/// Pure.
inline std::vector<std::string> comma_list(std::string_view list) {
  std::vector<std::string> entries;
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    if (const auto entry = trimmed(list.substr(0, comma)); !entry.empty())
      entries.emplace_back(entry);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return entries;
}

}  // namespace toolway
