#pragma once

#include <string>

#include "base/clock.h"
#include "gateway/admission/bus_facts.h"
#include "monitoring/tracer.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::gateway::calls {

/// How the publication of a call went.
struct Sending {
  admission::QueuePlace place;
  std::string message_id;
  WallTime begun{};
  WallTime ended{};
  std::string error_type{};  ///< empty: it was stored
};

/// The span of a call's publication. Begins with the plan: the message names it, and so does the
/// note under an Idempotency-Key, which another gateway may publish. A value.
class CallTrace {
 public:
  /// Of no trace.
  CallTrace() = default;
  /// Below the request's span, and says so in the call. Without a trace nothing is added to it.
  CallTrace(monitoring::Tracer& tracer, const TraceContext& request_span, v1::CallRequest& call);
  /// Of a call that an earlier request planned: its message stays as it is, byte for byte.
  static CallTrace of_noted(monitoring::Tracer& tracer, const v1::CallRequest& call);

  bool sampled() const { return context_.sampled; }
  /// Only when sampled.
  monitoring::Span span(const v1::CallRequest& call, Sending sending) const;

 private:
  TraceContext parent_;
  TraceContext context_;
};

}  // namespace toolway::gateway::calls
