#include "tools/executors/mock/mock_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json_pointer.h"
#include "base/mistake.h"
#include "base/sha256.h"

namespace toolway::tools::executors::mock {
namespace {

bool name_or_star(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '*';
}

/// `*` stands for any characters. Backtracks to the last star only, so it is linear in practice.
bool matches_part(std::string_view pattern, std::string_view text) {
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

std::string shown(const Json& value) {
  if (value.is_string()) return in_quotes(value.get_ref<const std::string&>());
  if (value.is_object()) return fmt::format("an object of {}", value.size());
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  return to_text(value);
}

std::string place(const std::string& pointer) { return pointer.empty() ? "the whole" : pointer; }

enum class Members { kAtLeast, kExactly };

void compare(const Json& wanted, const Json& given, const std::string& pointer, Members members,
             std::vector<std::string>& found) {
  if (wanted.is_object() && given.is_object()) {
    for (const auto& [name, value] : wanted.items()) {
      const auto at = pointer_to(pointer, name);
      const auto member = given.find(name);
      if (member == given.end()) {
        found.push_back(fmt::format("{} is missing", at));
      } else {
        compare(value, *member, at, members, found);
      }
    }
    if (members == Members::kAtLeast) return;
    for (const auto& [name, value] : given.items()) {
      if (!wanted.contains(name))
        found.push_back(
            fmt::format("{} is {}, not left out", pointer_to(pointer, name), shown(value)));
    }
  } else if (wanted.is_array() && given.is_array() && wanted.size() == given.size()) {
    for (std::size_t i = 0; i < wanted.size(); ++i)
      compare(wanted[i], given[i], fmt::format("{}/{}", pointer, i), members, found);
  } else if (wanted != given) {
    found.push_back(fmt::format("{} is {}, not {}", place(pointer), shown(given), shown(wanted)));
  }
}

Json canonical(const Json& value) {
  constexpr double kLargestExact = 9007199254740992.0;  // 2^53
  if (value.is_number_float()) {
    const double number = value.get<double>();
    const bool whole = std::trunc(number) == number && std::abs(number) <= kLargestExact;
    return whole ? Json(static_cast<std::int64_t>(number)) : value;
  }
  if (!value.is_structured()) return value;
  Json made = value.is_array() ? Json::array() : Json::object();
  for (const auto& [name, inside] : value.items()) {
    if (value.is_array())
      made.push_back(canonical(inside));
    else
      made[name] = canonical(inside);
  }
  return made;
}

}  // namespace

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
  return matches_part(pattern.substr(0, of_pattern), name.substr(0, of_name)) &&
         matches_part(pattern.substr(of_pattern + 1), name.substr(of_name + 1));
}

std::vector<std::string> mismatches(const MockWhen& when, const Json& arguments) {
  std::vector<std::string> found;
  if (!when.arguments.is_null()) compare(when.arguments, arguments, "", Members::kAtLeast, found);
  for (const auto& [pointer, wanted] : when.pointers) {
    const auto* given = value_at(arguments, pointer);
    if (given == nullptr) {
      found.push_back(fmt::format("{} is missing", place(pointer)));
    } else if (*given != wanted) {
      found.push_back(
          fmt::format("{} is {}, not {}", place(pointer), shown(*given), shown(wanted)));
    }
  }
  if (when.schema) {
    if (const auto wrong = when.schema->validate(arguments); !wrong.empty())
      found.push_back(schema::describe(wrong));
  }
  return found;
}

std::vector<std::string> differences(const Json& wanted, const Json& given) {
  std::vector<std::string> found;
  compare(wanted, given, "", Members::kExactly, found);
  return found;
}

std::string arguments_digest(const Json& arguments) {
  Sha256 sum;
  sum.add(to_text(canonical(arguments)));
  return "sha256:" + sum.hex();
}

}  // namespace toolway::tools::executors::mock
