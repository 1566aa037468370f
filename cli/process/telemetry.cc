#include "cli/process/telemetry.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <charconv>

#include "monitoring/otlp/named_texts.h"
#include "monitoring/otlp/otlp.h"

namespace toolway::cli {
namespace {

template <typename Number>
Result<Number> number_of(const char* variable, const std::string& text, Number least, Number most) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stopped == end && number >= least && number <= most) return number;
  return fail(ErrorCode::kInvalidRequest, fmt::format("{} must be a number from {} to {}, not '{}'",
                                                      variable, least, most, text));
}

Result<monitoring::NamedTexts> named_texts_of(const char* variable, const std::string& text) {
  auto texts = monitoring::parse_named_texts(text);
  if (texts) return texts;
  return fail(ErrorCode::kInvalidRequest, fmt::format("{}: {}", variable, texts.error().message));
}

Result<void> read_numbers(const TelemetryOptions& options, monitoring::OtlpOptions& otlp) {
  const auto& variables = options.variables;
  if (options.trace_sample) {
    otlp.root_probability = *options.trace_sample;
  } else if (!variables.sampler_arg.empty()) {
    const auto probability = number_of("OTEL_TRACES_SAMPLER_ARG", variables.sampler_arg, 0.0, 1.0);
    if (!probability) return fail(probability.error());
    otlp.root_probability = *probability;
  }
  if (!variables.metric_interval.empty()) {
    const auto interval = number_of<unsigned>("OTEL_METRIC_EXPORT_INTERVAL",
                                              variables.metric_interval, 100, 86'400'000);
    if (!interval) return fail(interval.error());
    otlp.metric_interval = std::chrono::milliseconds(*interval);
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<monitoring::Tracer>> start_telemetry(const TelemetryOptions& options,
                                                            const std::string& process,
                                                            monitoring::MetricRegistry& metrics) {
  const auto& variables = options.variables;
  monitoring::OtlpOptions otlp;
  otlp.endpoint = options.otlp.empty() ? variables.endpoint : options.otlp;
  if (otlp.endpoint.empty()) return monitoring::no_tracing();
  otlp.process = process;
  otlp.ca_file = variables.certificate;
  auto headers = named_texts_of("OTEL_EXPORTER_OTLP_HEADERS", variables.headers);
  if (!headers) return fail(headers.error());
  otlp.headers = std::move(*headers);
  auto attributes = named_texts_of("OTEL_RESOURCE_ATTRIBUTES", variables.resource_attributes);
  if (!attributes) return fail(attributes.error());
  otlp.attributes = std::move(*attributes);
  if (auto read = read_numbers(options, otlp); !read) return fail(read.error());
  const auto probability = otlp.root_probability;
  const auto endpoint = otlp.endpoint;
  auto tracer = monitoring::start_otlp(std::move(otlp), metrics);
  if (tracer)
    spdlog::info("sending spans and metrics to {}, sampling {:g} % of the traces that start here",
                 endpoint, probability * 100);
  return tracer;
}

}  // namespace toolway::cli
