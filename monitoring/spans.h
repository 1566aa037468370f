#pragma once

#include <string_view>

#include "monitoring/tracer.h"

/// What spans of several parts have in common.
namespace toolway::monitoring {

/// The context of a span below `parent`. Unlike `Tracer::start` it begins no trace: whether there
/// is one was decided where the work came in.
inline TraceContext start_below(Tracer& tracer, const TraceContext& parent) {
  return parent.sampled ? tracer.start(parent) : parent;
}

/// What is done with a message of NATS.
enum class MessageWork {
  kSend,     ///< published, until it is stored
  kProcess,  ///< taken and handled, until it is settled
};

/// A span of OpenTelemetry's messaging conventions, named `<work> <destination>`: `destination` is
/// from a closed set, so it contains no session.
Span message_span(MessageWork work, std::string_view destination);

}  // namespace toolway::monitoring
