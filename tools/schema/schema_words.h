#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "tools/schema/violation.h"

namespace toolway::tools::schema {

/// What jsoncons found, in our types.
struct Finding {
  std::string keyword;
  std::string path;         ///< JSON Pointer into the document
  std::string schema_path;  ///< JSON Pointer into the schema: the keyword, or what holds it
  std::string message;      ///< jsoncons' own words
};

/// Says it for people and models: what was expected, what was found, which names or choices there
/// are.
Violation in_words(const Finding& finding, const Json& schema, const Json& document);

/// jsoncons names properties between its first and last apostrophe.
std::string quoted_name(std::string_view message);

std::string bad_name(const std::string& name, const std::string& why);

/// "1 item", "2 items".
std::string quantity(std::uint64_t number, std::string_view noun);

}  // namespace toolway::tools::schema
