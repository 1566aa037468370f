#pragma once

#include <string_view>

#include "base/json.h"

namespace toolway {

/// Like `parse_json`, but refuses an object that has a key twice: two readers may each take a
/// different one, and what was checked is then not what is used. In one pass. Errors:
/// kMalformedJson, with the byte offset, or the key and the JSON Pointer of its object.
Result<Json> parse_strict_json(std::string_view text, std::size_t max_depth = kMaxJsonDepth);

}  // namespace toolway
