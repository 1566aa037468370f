#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "monitoring/metric_registry.h"
#include "monitoring/tracer.h"

/// Where a process sends its spans and metrics, as command line and environment say it
/// (docs/metrics.md).
namespace toolway::cli::process {

/// OpenTelemetry's own variables, as the environment has them
/// (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
struct OtelVariables {
  std::string endpoint;             ///< OTEL_EXPORTER_OTLP_ENDPOINT
  std::string headers;              ///< OTEL_EXPORTER_OTLP_HEADERS; a secret
  std::string certificate;          ///< OTEL_EXPORTER_OTLP_CERTIFICATE: a file
  std::string sampler_arg;          ///< OTEL_TRACES_SAMPLER_ARG: a probability
  std::string resource_attributes;  ///< OTEL_RESOURCE_ATTRIBUTES
  std::string metric_interval;      ///< OTEL_METRIC_EXPORT_INTERVAL: milliseconds
};

struct TelemetryOptions {
  std::string otlp;  ///< --otlp: base URL; empty: the variable's, and without it nothing is sent
  std::optional<double> trace_sample;  ///< --trace-sample: probability; before the variable's
  OtelVariables variables;
};

/// The tracer of a process; without an endpoint one that records nothing. `metrics` must outlive
/// it. Errors: kInvalidRequest with the name of the variable that is wrong.
Result<std::shared_ptr<monitoring::Tracer>> start_telemetry(const TelemetryOptions& options,
                                                            const std::string& process,
                                                            monitoring::MetricRegistry& metrics);

}  // namespace toolway::cli::process
