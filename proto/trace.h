#pragma once

#include "base/trace_context.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::proto {

/// The trace context of a message; of no trace when it has none, or none that can be read.
inline TraceContext trace_of(const v1::TraceContext& message) {
  return parse_trace_context(message.traceparent(), message.tracestate());
}

/// The way back. `context` must be valid: a message of no trace has no such field.
inline void set_trace(v1::TraceContext& message, const TraceContext& context) {
  message.set_traceparent(context.traceparent());
  message.set_tracestate(context.state);
}

}  // namespace toolway::proto
