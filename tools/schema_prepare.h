#pragma once

#include <functional>
#include <string>
#include <tl/expected.hpp>

#include "base/json.h"
#include "tools/schema.h"

namespace toolway::tools {

/// How long a string may be that a schema's `pattern` or `patternProperties` is
/// applied to, in characters, that is, 1 KB at most: std::regex, which jsoncons uses,
/// recurses several times per byte. Measured on 8 MB of stack, it overflows at 27 KB
/// with `^[a-z]*$`, 8 KB with `^((.)|b)*$` and 3.2 KB with eight groups in each other;
/// under the address sanitizer at about a third of that.
inline constexpr std::size_t kMaxPatternInput = 256;

/// Calls `visit` with each schema that stands directly inside of `schema`, and its JSON
/// Pointer from there.
void for_each_subschema(Json& schema, const std::function<void(Json&, const std::string&)>& visit);

struct PreparedSchema {
  Json schema;
  /// It has patternProperties: names in documents must be within kMaxPatternInput.
  bool matches_names = false;
};

/// Makes a schema safe and quick to validate with, without changing what it
/// means: `pattern` is guarded by a bound on the length, `default` and `examples`
/// go. Errors: references that leave the
/// document or reach no schema, references that go in a circle, another draft.
tl::expected<PreparedSchema, SchemaMistake> prepare_schema(Json schema);

}  // namespace toolway::tools
