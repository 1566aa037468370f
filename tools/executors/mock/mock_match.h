#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/executors/mock/mock_answer.h"

namespace toolway::tools::executors::mock {

/// `*`, or `namespace.name` with `*` for any characters of either.
bool valid_tool_pattern(std::string_view pattern);
/// `name`: qualified.
bool matches_tool(std::string_view pattern, std::string_view name);

/// Where the arguments differ from what the answer is for; empty: they match. Objects match
/// those with more members, lists those of the same length, numbers by value. Pure.
std::vector<std::string> mismatches(const MockWhen& when, const Json& arguments);

/// Where two values differ, by JSON Pointer; empty: nowhere.
std::vector<std::string> differences(const Json& wanted, const Json& given);

/// `sha256:<hex>` of the arguments' canonical text: keys sorted, and a whole number is the same
/// with and without a fraction.
std::string arguments_digest(const Json& arguments);

}  // namespace toolway::tools::executors::mock
