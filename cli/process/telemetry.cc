#include "cli/process/telemetry.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/text.h"
#include "base/try.h"
#include "monitoring/otlp/named_texts.h"
#include "monitoring/otlp/otlp.h"

namespace toolway::cli::process {
namespace {

template <typename Number>
Result<Number> number_of(const char* variable, const std::string& text, Number least, Number most) {
  Number number{};
  if (parse_number(text, number) && number >= least && number <= most) return number;
  return fail(ErrorCode::kInvalidRequest, fmt::format("{} must be a number from {} to {}, not '{}'",
                                                      variable, least, most, text));
}

Result<monitoring::otlp::NamedTexts> named_texts_of(const char* variable, const std::string& text) {
  auto texts = monitoring::otlp::parse_named_texts(text);
  if (texts) return texts;
  return fail(ErrorCode::kInvalidRequest, fmt::format("{}: {}", variable, texts.error().message));
}

Result<void> read_numbers(const TelemetryOptions& options, monitoring::otlp::OtlpOptions& otlp) {
  const auto& variables = options.variables;
  if (options.trace_sample) {
    otlp.root_probability = *options.trace_sample;
  } else if (!variables.sampler_arg.empty()) {
    ASSIGN_OR_RETURN(otlp.root_probability,
                     number_of("OTEL_TRACES_SAMPLER_ARG", variables.sampler_arg, 0.0, 1.0));
  }
  if (!variables.metric_interval.empty()) {
    ASSIGN_OR_RETURN(const auto interval,
                     number_of<unsigned>("OTEL_METRIC_EXPORT_INTERVAL", variables.metric_interval,
                                         100, 86'400'000));
    otlp.metric_interval = std::chrono::milliseconds(interval);
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<monitoring::Tracer>> start_telemetry(const TelemetryOptions& options,
                                                            const std::string& process,
                                                            monitoring::MetricRegistry& metrics) {
  const auto& variables = options.variables;
  monitoring::otlp::OtlpOptions otlp;
  otlp.endpoint = options.otlp.empty() ? variables.endpoint : options.otlp;
  if (otlp.endpoint.empty()) return monitoring::no_tracing();
  otlp.process = process;
  otlp.ca_file = variables.certificate;
  ASSIGN_OR_RETURN(otlp.headers, named_texts_of("OTEL_EXPORTER_OTLP_HEADERS", variables.headers));
  ASSIGN_OR_RETURN(otlp.attributes,
                   named_texts_of("OTEL_RESOURCE_ATTRIBUTES", variables.resource_attributes));
  RETURN_IF_ERROR(read_numbers(options, otlp));
  const auto probability = otlp.root_probability;
  const auto endpoint = otlp.endpoint;
  auto tracer = monitoring::otlp::start_otlp(std::move(otlp), metrics);
  if (tracer)
    spdlog::info("sending spans and metrics to {}, sampling {:g} % of the traces that start here",
                 endpoint, probability * 100);
  return tracer;
}

}  // namespace toolway::cli::process
