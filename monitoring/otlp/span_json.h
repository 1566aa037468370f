#pragma once

#include <span>
#include <string>

#include "monitoring/otlp/otlp.h"

namespace toolway::monitoring::otlp {

/// The body of a request to `/v1/traces` (ExportTraceServiceRequest). What is not UTF-8 becomes
/// U+FFFD.
std::string spans_json(const NamedTexts& resource, std::span<const Span> spans);

}  // namespace toolway::monitoring::otlp
