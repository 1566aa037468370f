#include "tools/matching/tool_pattern.h"

#include <algorithm>

namespace toolway::tools::matching {
namespace {

bool name_or_star(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '*';
}

}  // namespace

// Backtracks to the last star only, so it is linear in practice.
bool matches_glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  for (std::size_t t = 0; t < text.size();) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool valid_tool_pattern(std::string_view pattern) {
  if (pattern == "*") return true;
  const auto dot = pattern.find('.');
  if (dot == std::string_view::npos) return false;
  const auto part = [](std::string_view text) {
    return !text.empty() && text.size() <= 64 &&
           std::all_of(text.begin(), text.end(), name_or_star);
  };
  return part(pattern.substr(0, dot)) && part(pattern.substr(dot + 1));
}

bool matches_tool(std::string_view pattern, std::string_view name) {
  if (pattern == "*") return true;
  const auto of_pattern = pattern.find('.');
  const auto of_name = name.find('.');
  if (of_pattern == std::string_view::npos || of_name == std::string_view::npos) return false;
  return matches_glob(pattern.substr(0, of_pattern), name.substr(0, of_name)) &&
         matches_glob(pattern.substr(of_pattern + 1), name.substr(of_name + 1));
}

}  // namespace toolway::tools::matching
