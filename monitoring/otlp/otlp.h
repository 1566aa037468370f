#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "monitoring/metric_registry.h"
#include "monitoring/tracer.h"

/// Spans and metrics to an OpenTelemetry receiver: OTLP over HTTP in its JSON encoding
/// (https://opentelemetry.io/docs/specs/otlp/). Never in the path of a call: whatever the receiver
/// does, `Tracer::end` puts a span into a bounded queue, or drops it.
namespace toolway::monitoring::otlp {

/// Names and values, in order: headers, or attributes of the resource.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

/// When a request is tried again, as the specification's section on failures asks.
struct OtlpRetries {
  std::chrono::milliseconds first{1000};  ///< doubled each time, and shortened by chance
  std::chrono::milliseconds most{15'000};
  std::chrono::milliseconds total{60'000};  ///< of a batch, after which it is given up
};

struct OtlpOptions {
  std::string endpoint;   ///< base URL, http or https; `/v1/traces` and `/v1/metrics` are added
  NamedTexts headers;     ///< of each request; their values are secrets
  std::string ca_file;    ///< certificates to trust instead of the system's; empty: those
  std::string process;    ///< gateway, worker, collector: `service.name` is toolway-<process>
  NamedTexts attributes;  ///< of the resource; they win over ours
  double root_probability = 0.01;         ///< that a trace which begins here is sampled
  std::size_t queue = 2048;               ///< spans that wait; more are dropped
  std::size_t batch = 512;                ///< spans per request
  std::size_t spans_per_second = 5000;    ///< more are dropped, whatever asked for them
  std::chrono::milliseconds delay{5000};  ///< after which a batch is sent even if it is not full
  std::chrono::milliseconds request_timeout{10'000};
  std::chrono::milliseconds flush{5000};  ///< how long shutting down may take
  std::chrono::milliseconds metric_interval{60'000};
  OtlpRetries retries;
};

/// Sends on one thread of its own, until the last owner of the tracer releases it; that one waits
/// until everything is sent, `flush` at most. `metrics` counts the spans, is sent itself, and must
/// outlive the tracer. Errors: kInvalidRequest when the endpoint is not an http(s) URL, or has a
/// user, a query or a fragment.
Result<std::shared_ptr<Tracer>> start_otlp(OtlpOptions options, MetricRegistry& metrics);

}  // namespace toolway::monitoring::otlp
