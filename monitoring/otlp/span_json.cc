#include "monitoring/otlp/span_json.h"

#include "monitoring/otlp/resource_json.h"

namespace toolway::monitoring::otlp {
namespace {

/// opentelemetry.proto.trace.v1.Span.SpanKind
int kind_number(SpanKind kind) {
  switch (kind) {
    case SpanKind::kInternal: return 1;
    case SpanKind::kServer: return 2;
    case SpanKind::kClient: return 3;
    case SpanKind::kProducer: return 4;
    case SpanKind::kConsumer: return 5;
  }
  return 0;
}

struct AnyValue {
  OrderedJson operator()(const std::string& text) const { return {{"stringValue", text}}; }
  OrderedJson operator()(std::int64_t number) const {
    return {{"intValue", std::to_string(number)}};
  }
  OrderedJson operator()(double number) const { return {{"doubleValue", number}}; }
  OrderedJson operator()(bool truth) const { return {{"boolValue", truth}}; }
};

OrderedJson attributes_json(const Span& span) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [key, value] : span.attributes) {
    list.push_back({{"key", key}, {"value", std::visit(AnyValue{}, value)}});
  }
  if (!span.error_type.empty()) list.push_back(string_attribute("error.type", span.error_type));
  return list;
}

OrderedJson link_json(const TraceContext& link) {
  OrderedJson json{{"traceId", link.trace_id_hex()}, {"spanId", link.span_id_hex()}};
  if (!link.state.empty()) json["traceState"] = link.state;
  return json;
}

OrderedJson span_json(const Span& span) {
  constexpr int kStatusError = 2;  // opentelemetry.proto.trace.v1.Status.StatusCode
  OrderedJson json{{"traceId", span.context.trace_id_hex()},
                   {"spanId", span.context.span_id_hex()}};
  if (!span.context.state.empty()) json["traceState"] = span.context.state;
  if (span.parent.valid()) json["parentSpanId"] = span.parent.span_id_hex();
  json["flags"] = span.context.sampled ? 1 : 0;
  json["name"] = span.name;
  json["kind"] = kind_number(span.kind);
  json["startTimeUnixNano"] = nanoseconds(span.start);
  // Clocks get set; a span that ends before it began is refused by some receivers.
  json["endTimeUnixNano"] = nanoseconds(std::max(span.start, span.end));
  if (auto attributes = attributes_json(span); !attributes.empty())
    json["attributes"] = std::move(attributes);
  if (span.link.valid()) json["links"] = OrderedJson::array({link_json(span.link)});
  if (!span.error_type.empty()) json["status"] = {{"code", kStatusError}};
  return json;
}

}  // namespace

std::string spans_json(const NamedTexts& resource, std::span<const Span> spans) {
  OrderedJson list = OrderedJson::array();
  for (const Span& span : spans) list.push_back(span_json(span));
  OrderedJson scope_spans{{"scope", scope_json()}, {"spans", std::move(list)}};
  OrderedJson resource_spans{{"resource", resource_json(resource)},
                             {"scopeSpans", OrderedJson::array({std::move(scope_spans)})}};
  return to_text(OrderedJson{{"resourceSpans", OrderedJson::array({std::move(resource_spans)})}});
}

}  // namespace toolway::monitoring::otlp
