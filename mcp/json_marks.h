#pragma once

#include <cstddef>
#include <string_view>

namespace toolway::mcp {

/// Calls `see` with each character of a JSON text that is outside its strings: for bounds that hold
/// before the text is parsed, so it may be any text. Pure.
template <typename See>
void for_each_mark(std::string_view json, See see) {
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\')
      ++i;
    else if (c == '"')
      in_string = !in_string;
    else if (!in_string)
      see(c);
  }
}

}  // namespace toolway::mcp
