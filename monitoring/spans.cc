#include "monitoring/spans.h"

namespace toolway::monitoring {

Span message_span(MessageWork work, std::string_view destination) {
  const bool sends = work == MessageWork::kSend;
  const std::string name = sends ? "send" : "process";
  Span span;
  span.name = name + " ";
  span.name += destination;
  span.kind = sends ? SpanKind::kProducer : SpanKind::kConsumer;
  span.attributes = {{"messaging.system", "nats"},
                     {"messaging.operation.type", name},
                     {"messaging.operation.name", name},
                     {"messaging.destination.name", std::string(destination)}};
  return span;
}

}  // namespace toolway::monitoring
