#pragma once

#include <optional>

#include "base/json.h"
#include "tools/schema/schema_prepare.h"

namespace toolway::tools::schema {

/// JSON Schema has no difference between 2.0, 2e0 and 2; the languages of tools do. A copy of a
/// document that matches its schema, in which whole numbers are integers wherever the schema wants
/// an integer and would not take just any number. Nothing: the document needs no change.
std::optional<Json> with_integers(const Json& document, const PreparedSchema& prepared);

}  // namespace toolway::tools::schema
