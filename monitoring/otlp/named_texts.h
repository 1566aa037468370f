#pragma once

#include <string_view>

#include "base/result.h"
#include "monitoring/otlp/otlp.h"

namespace toolway::monitoring::otlp {

/// Reads `name=value,name=value`, as OTEL_EXPORTER_OTLP_HEADERS and OTEL_RESOURCE_ATTRIBUTES have
/// it: values percent-encoded like W3C Baggage's, blanks around both left out, empty members
/// allowed. Errors: kInvalidRequest with the place, never with the text there: it may be a secret.
Result<NamedTexts> parse_named_texts(std::string_view text);

}  // namespace toolway::monitoring::otlp
