#include "monitoring/otlp/span_json.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "monitoring/otlp/resource_json.h"

namespace toolway::monitoring::otlp {
namespace {

TraceContext context(char last) {
  const std::string trace = "5b8efff798038103d269b633813fc60c";
  return parse_trace_context("00-" + trace + "-eee19b7ec3c1b17" + last + "-01", "vendor=opaque");
}

Span whole_span() {
  return {.name = "execute_tool get_current_time",
          .kind = SpanKind::kConsumer,
          .context = context('4'),
          .parent = context('3'),
          .link = context('2'),
          .start = from_unix_us(1'544'712'660'000'001),
          .end = from_unix_us(1'544'712'661'000'002),
          .attributes = {{"gen_ai.tool.name", std::string("get_current_time")},
                         {"toolway.attempt", std::int64_t{9'007'199'254'740'993}},
                         {"toolway.share", 0.5},
                         {"toolway.merged", true}},
          .error_type = "timeout"};
}

// Names and forms: opentelemetry-proto's messages in the JSON mapping that the OTLP specification
// gives (lowerCamelCase, ids in hexadecimal, 64-bit integers as text, enums as numbers).
TEST(SpanJson, IsWhatTheSpecificationSays) {
  const NamedTexts resource{{"service.name", "toolway-worker"}};
  const Span span = whole_span();
  EXPECT_EQ(
      spans_json(resource, {&span, 1}),
      R"({"resourceSpans":[{"resource":{"attributes":[)"
      R"({"key":"service.name","value":{"stringValue":"toolway-worker"}}]},)"
      R"("scopeSpans":[{"scope":{"name":"toolway","version":"0.1.0"},"spans":[{)"
      R"("traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174",)"
      R"("traceState":"vendor=opaque","parentSpanId":"eee19b7ec3c1b173","flags":1,)"
      R"("name":"execute_tool get_current_time","kind":5,)"
      R"("startTimeUnixNano":"1544712660000001000","endTimeUnixNano":"1544712661000002000",)"
      R"("attributes":[{"key":"gen_ai.tool.name","value":{"stringValue":"get_current_time"}},)"
      R"({"key":"toolway.attempt","value":{"intValue":"9007199254740993"}},)"
      R"({"key":"toolway.share","value":{"doubleValue":0.5}},)"
      R"({"key":"toolway.merged","value":{"boolValue":true}},)"
      R"({"key":"error.type","value":{"stringValue":"timeout"}}],)"
      R"("links":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b172",)"
      R"("traceState":"vendor=opaque"}],"status":{"code":2}}]}]}]})");
}

TEST(SpanJson, LeavesOutWhatThereIsNot) {
  Span span;
  span.context = context('4');
  span.context.state.clear();
  const auto json = parse_json(spans_json({}, {&span, 1}));
  ASSERT_TRUE(json);
  const auto& said = json->at("resourceSpans").at(0).at("scopeSpans").at(0).at("spans").at(0);
  for (const char* name : {"traceState", "parentSpanId", "links", "status", "attributes"}) {
    EXPECT_FALSE(said.contains(name)) << name;
  }
}

TEST(SpanJson, HoldsWhateverTextCameFromOutside) {
  Span span;
  span.context = context('4');
  span.name = "quote \" and \xff and \x01";
  span.start = from_unix_us(1000);  // after its end: the clock was set
  const auto json = parse_json(spans_json({}, {&span, 1}));
  ASSERT_TRUE(json) << json.error().message;
  const auto& said = json->at("resourceSpans").at(0).at("scopeSpans").at(0).at("spans").at(0);
  EXPECT_EQ(said.at("name"), "quote \" and \xEF\xBF\xBD and \x01");
  EXPECT_EQ(said.at("endTimeUnixNano"), said.at("startTimeUnixNano"));
}

TEST(Resource, TheOperatorsAttributesWin) {
  const auto attributes = resource_attributes(
      {.process = "worker",
       .attributes = {{"service.instance.id", "pod-1"}, {"k8s.pod.name", "pod-1"}}},
      "random");
  const NamedTexts expected{{"service.namespace", "toolway"},
                            {"service.name", "toolway-worker"},
                            {"service.version", "0.1.0"},
                            {"service.instance.id", "pod-1"},
                            {"k8s.pod.name", "pod-1"}};
  EXPECT_EQ(attributes, expected);
}

}  // namespace
}  // namespace toolway::monitoring::otlp
