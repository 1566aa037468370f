#pragma once

#include <string>
#include <string_view>

#include "monitoring/metric_registry.h"

/// How Prometheus is told: its text format 0.0.4, and OpenMetrics 1.0.0
/// (https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md). Pure.
namespace toolway::monitoring {

/// Writes the bounds of buckets alike in both (`1.0`, never `1`), so that a rule that names one finds it
/// whichever format was asked for.
std::string write_exposition(const MetricSnapshot& snapshot, Exposition format);

/// Which format an Accept header asks for (RFC 9110 §12.5.1): OpenMetrics only when it is named, in
/// version 1.0.0 or none, with at least the weight of text/plain.
Exposition choose_exposition(std::string_view accept);

/// With its parameters, for the Content-Type header.
std::string_view content_type(Exposition format);

}  // namespace toolway::monitoring
