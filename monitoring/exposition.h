#pragma once

#include <string_view>

#include "monitoring/metrics.h"

/// Which text format a scraper gets. Pure.
namespace toolway::monitoring {

/// Which format an Accept header asks for (RFC 9110 §12.5.1): OpenMetrics only when it is named, in
/// version 1.0.0 or none, with at least the weight of text/plain.
Exposition choose_exposition(std::string_view accept);

/// With its parameters, for the Content-Type header.
std::string_view content_type(Exposition format);

}  // namespace toolway::monitoring
