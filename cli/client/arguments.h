#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

/// The ARGUMENTS of `toolway call` and `tools run`. Pure.
namespace toolway::cli::client {

/// Whether `words` are `name=value` pairs, whose types the tool's schema says.
bool are_pairs(const std::vector<std::string>& words);

/// Of text that is one JSON object. Errors: kMalformedJson, with an example.
Result<OrderedJson> object_of(const std::string& text);

/// Of `name=value` pairs, each typed by `schema` (null: text), and `name:=JSON`. Errors:
/// kInvalidRequest naming the pair, and what the schema wants.
Result<OrderedJson> object_of_pairs(const std::vector<std::string>& words,
                                    const OrderedJson& schema);

/// Of a name that is not among `names`: the nearest one, or all of them after `they`. `has_no`: who
/// has none of what, as in "the tool has no argument". kInvalidRequest.
Error no_such_name(std::string_view has_no, const std::string& name,
                   const std::vector<std::string>& names, std::string_view they);

}  // namespace toolway::cli::client
