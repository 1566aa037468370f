#pragma once

#include "base/json.h"
#include "tools/exports/format.h"

namespace toolway::tools::exports {

/// An input schema as `format` takes it. Calls are checked against the spec's own
/// schema all the same. Changed are only:
/// - OpenAI refuses oneOf, anyOf, allOf, enum, const and not at the top level, Anthropic
///   the first three: they go, and the properties that their branches name stay;
/// - OpenAI refuses an object without `properties` at the top level, and an array without
///   `items` anywhere: both are added, empty.
OrderedJson api_parameters(const OrderedJson& schema, Format format);

/// `description` in at most 1,024 characters, which is what OpenAI Chat Completions takes;
/// a longer one ends with `…`. Other formats: unchanged.
std::string api_description(const std::string& description, Format format);

}  // namespace toolway::tools::exports
