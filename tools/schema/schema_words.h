#pragma once

#include <string>

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

}  // namespace toolway::tools::schema
