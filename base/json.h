#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace toolway {

/// What comes from outside. Keys in a balanced tree: hostile input with many keys stays cheap.
using Json = nlohmann::json;
/// What we write ourselves, in the order we wrote it: responses, schemas.
using OrderedJson = nlohmann::ordered_json;

/// How deep JSON from outside may nest. Writers recurse, so this bounds their stack.
inline constexpr std::size_t kMaxJsonDepth = 64;

/// Parses JSON from outside: UTF-8 only, nested at most `max_depth`, no
/// comments, nothing after the value. Errors: kMalformedJson, with the byte offset.
Result<Json> parse_json(std::string_view text, std::size_t max_depth = kMaxJsonDepth);

/// The same, keeping the order of keys. Reading takes time in proportion to the text, and looking
/// up a key in proportion to its object.
Result<OrderedJson> parse_ordered_json(std::string_view text,
                                       std::size_t max_depth = kMaxJsonDepth);

/// White space between the tokens of JSON.
constexpr bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
/// In a JSON text, just past the string whose first quote is at `at`; its end when that is missing.
std::size_t skip_json_string(std::string_view text, std::size_t at);

/// Compact text. Bytes that are not UTF-8 become U+FFFD, so it never throws.
std::string to_text(const Json& value);
std::string to_text(const OrderedJson& value);

}  // namespace toolway
