#pragma once

#include "extensions/extension_type.h"

namespace toolway::extensions::builtin {

/// Limits how many calls are accepted in time, for the whole fleet: it names the buckets that a
/// call takes a token from, and a gateway takes them.
ExtensionType limits_type();

/// "5/s", "100/min" or "20/h": the time between two. Nothing: it is none of these, or none at all.
std::optional<std::chrono::nanoseconds> parse_rate(std::string_view text);

}  // namespace toolway::extensions::builtin
