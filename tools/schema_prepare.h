#pragma once

#include "base/json.h"
#include "base/result.h"

namespace toolway::tools {

/// How long a string may be that a schema's `pattern` or `patternProperties` is
/// applied to, in characters (4 KB at most): std::regex, which jsoncons uses,
/// recurses once or more per character and would overflow the stack.
inline constexpr std::size_t kMaxPatternInput = 1024;

struct PreparedSchema {
  Json schema;
  /// It has patternProperties: names in documents must be within kMaxPatternInput.
  bool matches_names = false;
};

/// Makes a schema safe and quick to validate with, without changing what it
/// means: `pattern` is guarded by a bound on the length, `default` and `examples`
/// go. Errors (kInvalidSpec, with the JSON Pointer): references that leave the
/// document or reach no schema, references that go in a circle, another draft.
Result<PreparedSchema> prepare_schema(const OrderedJson& schema);

}  // namespace toolway::tools
