#pragma once

#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "monitoring/otlp/otlp.h"

/// What OTLP's messages have in common, in the JSON encoding of the specification: names in
/// lowerCamelCase, 64-bit integers as text, enums as numbers, trace and span ids in hexadecimal.
namespace toolway::monitoring::otlp {

/// `{"key": …, "value": {"stringValue": …}}`
OrderedJson string_attribute(std::string_view key, std::string_view value);

/// Nanoseconds since the epoch, as text.
std::string nanoseconds(WallTime time);

/// Who sends: service.namespace, .name, .version and .instance.id, and what the operator added.
NamedTexts resource_attributes(const OtlpOptions& options, const std::string& instance);

/// `{"attributes": […]}`
OrderedJson resource_json(const NamedTexts& attributes);

/// `{"name": "toolway", "version": …}`
OrderedJson scope_json();

}  // namespace toolway::monitoring::otlp
