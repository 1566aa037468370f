#pragma once

#include "base/clock.h"
#include "gateway/wire/http_types.h"
#include "gateway/wire/route.h"
#include "monitoring/tracer.h"

namespace toolway::gateway::server {

/// The span of one request, from its last byte to its answer. A stream of events is answered with
/// its head: it may last for days, and what it shows has spans of its own.
class RequestSpan {
 public:
  /// Begins below what the client sent, and puts its context there. What it is given must outlive
  /// it.
  RequestSpan(monitoring::Tracer& tracer, const Clock& clock, wire::Request& request);
  /// Ends it. Probes and scrapers leave no span.
  void answered(const wire::Request& request, wire::Route route, unsigned status) const;

 private:
  monitoring::Tracer& tracer_;
  const Clock& clock_;
  const TraceContext parent_;
  const WallTime begun_;
};

/// What the span says, except its context, parent and times. Pure. Rules: OpenTelemetry's "HTTP
/// server span"; neither query nor headers are shown.
monitoring::Span server_span(const wire::Request& request, wire::Route route, unsigned status);

}  // namespace toolway::gateway::server
