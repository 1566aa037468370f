#pragma once

#include <functional>
#include <map>
#include <string>
#include <tl/expected.hpp>

#include "base/json.h"
#include "base/mistake.h"

namespace toolway::tools::schema {

/// Calls `visit` with each schema directly inside `schema`, and its JSON
/// Pointer from there.
void for_each_subschema(Json& schema, const std::function<void(Json&, const std::string&)>& visit);

struct PreparedSchema {
  Json schema;
  std::map<std::string, std::string> anchors{};  ///< of `#anchor`: where it is (JSON Pointer)
};

/// Makes a schema safe and quick to validate with, without changing what it means: `default` and
/// `examples` go, and `definitions` of older drafts become `$defs`. Errors: references that leave
/// the document or reach no schema, references that go in a circle, another draft.
tl::expected<PreparedSchema, Mistake> prepare_schema(Json schema);

}  // namespace toolway::tools::schema
