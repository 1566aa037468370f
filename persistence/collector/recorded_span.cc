#include "persistence/collector/recorded_span.h"

#include "monitoring/spans.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::persistence::collector {

monitoring::Span recorded_span(monitoring::Tracer& tracer, const CompletedCall& call,
                               const RecordedBatch& batch) {
  auto span = monitoring::message_span(monitoring::MessageWork::kProcess, proto::kEventsStream);
  span.context = monitoring::start_below(tracer, call.trace);
  span.parent = call.trace;
  span.start = batch.begun;
  span.end = batch.committed;
  span.attributes.push_back(
      {"messaging.consumer.group.name", std::string(proto::kCollectorDurable)});
  span.attributes.push_back({"toolway.batch.messages", static_cast<std::int64_t>(batch.messages)});
  span.attributes.push_back({"gen_ai.tool.name", call.tool});
  span.attributes.push_back({"toolway.call.id", call.call_id});
  span.attributes.push_back({"toolway.outcome", std::string(proto::outcome_name(call.outcome))});
  return span;
}

}  // namespace toolway::persistence::collector
