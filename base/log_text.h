#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

/// What a line of a log looks like, whatever it is about. Pure.
namespace toolway {

/// `text` as a line of a log may show it: what would end the line, move a terminal's cursor or turn
/// the direction of writing is written as `\u001b`; a new line is `\n`; what is not UTF-8 becomes
/// U+FFFD.
std::string log_text(std::string_view text);

/// One line of JSON, an object, without the line end: `time` (RFC 3339, UTC), `level`, `process`,
/// then `fields`.
std::string log_json(std::string_view time, std::string_view level, std::string_view process,
                     const OrderedJson& fields);

}  // namespace toolway
