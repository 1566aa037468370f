#include "gateway/calls/call_trace.h"

#include "monitoring/spans.h"
#include "proto/subjects.h"
#include "proto/trace.h"

namespace toolway::gateway::calls {

CallTrace::CallTrace(monitoring::Tracer& tracer, const TraceContext& request_span,
                     v1::CallRequest& call)
    : parent_(request_span), context_(monitoring::start_below(tracer, request_span)) {
  if (context_.valid()) proto::set_trace(*call.mutable_trace(), context_);
}

CallTrace CallTrace::of_noted(monitoring::Tracer& tracer, const v1::CallRequest& call) {
  CallTrace trace;
  trace.parent_ = proto::trace_of(call.trace());
  trace.context_ = monitoring::start_below(tracer, trace.parent_);
  return trace;
}

monitoring::Span CallTrace::span(const v1::CallRequest& call, Sending sending) const {
  auto span = monitoring::message_span(monitoring::MessageWork::kSend, "call." + call.pool());
  span.context = context_;
  span.parent = parent_;
  span.start = sending.begun;
  span.end = sending.ended;
  span.error_type = std::move(sending.error_type);
  span.attributes.push_back(
      {"messaging.destination.partition.id", std::string(proto::lane_name(sending.place.lane)) +
                                                 "." + std::to_string(sending.place.partition)});
  span.attributes.push_back({"messaging.message.id", std::move(sending.message_id)});
  span.attributes.push_back({"gen_ai.conversation.id", call.session_id()});
  span.attributes.push_back({"toolway.call.id", call.call_id()});
  return span;
}

}  // namespace toolway::gateway::calls
