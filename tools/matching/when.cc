#include "tools/matching/when.h"

#include <fmt/format.h>

#include "base/json_pointer.h"
#include "base/mistake.h"

namespace toolway::tools::matching {
namespace {

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

}  // namespace

std::vector<std::string> mismatches(const When& when, const Json& arguments) {
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

}  // namespace toolway::tools::matching
