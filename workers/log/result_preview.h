#pragma once

#include <cstddef>

#include "base/json.h"

/// What a completion shows of a result that is too large for it. Pure.
namespace toolway::workers::log {

/// The beginning of `value`, valid for its type, of at most `max_bytes` (2 or
/// more) of JSON text: of a list the first items that fit, each whole; of an
/// object its first members, whole where they fit, else cut by the same rule;
/// of a string its first characters. Null, a boolean or a number cannot be cut and is given whole.
/// `value` is UTF-8 throughout.
Json preview_of(const Json& value, std::size_t max_bytes);

/// Bytes of `value` as JSON text, as far as `limit`: more than that is answered
/// with some number above `limit`, without looking further.
std::size_t text_size(const Json& value, std::size_t limit);

}  // namespace toolway::workers::log
