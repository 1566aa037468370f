#pragma once

#include <string_view>

/// Patterns in which `*` stands for any characters. Pure.
namespace toolway::tools::matching {

bool matches_glob(std::string_view pattern, std::string_view text);

/// `*`, or `namespace.name` with `*` for any characters of either.
bool valid_tool_pattern(std::string_view pattern);
/// `name`: qualified.
bool matches_tool(std::string_view pattern, std::string_view name);

}  // namespace toolway::tools::matching
