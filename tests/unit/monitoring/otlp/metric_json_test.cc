#include "monitoring/otlp/metric_json.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/json.h"
#include "monitoring/metric_names.h"
#include "monitoring/metric_registry.h"

namespace toolway::monitoring::otlp {
namespace {

constexpr MetricPeriod kPeriod{.start = WallTime(std::chrono::seconds(1)),
                               .now = WallTime(std::chrono::seconds(61))};
const NamedTexts kResource{{"service.name", "toolway-worker"}};

prometheus::MetricFamily counter_of(std::vector<double> values,
                                    std::vector<prometheus::ClientMetric::Label> labels = {}) {
  prometheus::MetricFamily family{
      "toolway_things_total", "Things.", prometheus::MetricType::Counter, {}};
  for (const double value : values) {
    auto& series = family.metric.emplace_back();
    series.label = labels;
    series.counter.value = value;
  }
  return family;
}

prometheus::MetricFamily gauge_of(double value) {
  prometheus::MetricFamily family{
      "toolway_memory_bytes", "Bytes.", prometheus::MetricType::Gauge, {}};
  family.metric.emplace_back().gauge.value = value;
  return family;
}

std::string metrics_of(const std::string& body) {
  const auto json = parse_ordered_json(body);
  return json ? to_text(json->at("resourceMetrics").at(0).at("scopeMetrics").at(0).at("metrics"))
              : json.error().message;
}

// Names and forms: opentelemetry-proto's metrics.proto in the OTLP specification's JSON mapping.
TEST(MetricJson, SumsAndGaugesAreWhatTheSpecificationSays) {
  const auto bodies = metrics_json(
      kResource, {.families = {counter_of({3}, {{"tool", "a.b"}}), gauge_of(1.5)}, .exemplars = {}},
      kPeriod);
  ASSERT_EQ(bodies.size(), 1U);
  EXPECT_TRUE(bodies[0].starts_with(
      R"({"resourceMetrics":[{"resource":{"attributes":[{"key":"service.name",)"
      R"("value":{"stringValue":"toolway-worker"}}]},"scopeMetrics":[{"scope":{"name":"toolway")"))
      << bodies[0];
  EXPECT_EQ(
      metrics_of(bodies[0]),
      R"([{"name":"toolway_things_total","description":"Things.","unit":"","sum":{"dataPoints":[{)"
      R"("attributes":[{"key":"tool","value":{"stringValue":"a.b"}}],"startTimeUnixNano":"1000000000",)"
      R"("timeUnixNano":"61000000000","asDouble":3.0}],"aggregationTemporality":2,"isMonotonic":true}},)"
      R"({"name":"toolway_memory_bytes","description":"Bytes.","unit":"By","gauge":{"dataPoints":[{)"
      R"("attributes":[],"startTimeUnixNano":"1000000000","timeUnixNano":"61000000000","asDouble":1.5}]}}])");
}

TEST(MetricJson, HistogramsHaveBoundsCountsAndExemplars) {
  const auto metrics = make_registry("worker");
  auto& histogram = metrics->histogram(kRun, {.tool = "a.b", .pool = "native"});
  histogram.observe(std::chrono::milliseconds(1),
                    parse_trace_context("00-5b8efff798038103d269b633813fc60c-eee19b7ec3c1b174-01"));
  histogram.observe(std::chrono::milliseconds(2));
  histogram.observe(std::chrono::seconds(400));
  MetricSnapshot snapshot = metrics->snapshot();
  std::erase_if(snapshot.families, [](const auto& family) { return family.name != kRun; });
  const auto bodies = metrics_json(kResource, snapshot, kPeriod);
  const auto json = parse_json(metrics_of(bodies.at(0)));
  ASSERT_TRUE(json);
  const auto& point = json->at(0).at("histogram").at("dataPoints").at(0);
  EXPECT_EQ(json->at(0).at("histogram").at("aggregationTemporality"), 2);
  EXPECT_EQ(point.at("count"), "3");
  EXPECT_DOUBLE_EQ(point.at("sum"), 400.003);
  ASSERT_EQ(point.at("explicitBounds").size(), kSecondsBounds.size());
  EXPECT_EQ(point.at("explicitBounds").at(1), 0.001);
  ASSERT_EQ(point.at("bucketCounts").size(), kSecondsBounds.size() + 1) << "one more than bounds";
  EXPECT_EQ(point.at("bucketCounts").at(0), "0");
  EXPECT_EQ(point.at("bucketCounts").at(1), "1") << "of this bucket alone, unlike Prometheus'";
  EXPECT_EQ(point.at("bucketCounts").at(2), "1");
  EXPECT_EQ(point.at("bucketCounts").at(3), "0");
  EXPECT_EQ(point.at("bucketCounts").back(), "1");
  ASSERT_EQ(point.at("exemplars").size(), 1U);
  EXPECT_EQ(point.at("exemplars").at(0).at("traceId"), "5b8efff798038103d269b633813fc60c");
  EXPECT_EQ(point.at("exemplars").at(0).at("spanId"), "eee19b7ec3c1b174");
  EXPECT_EQ(point.at("exemplars").at(0).at("asDouble"), 0.001);
}

TEST(MetricJson, ManyPointsAreSeveralRequests) {
  const auto bodies = metrics_json(
      kResource, {.families = {counter_of({0, 1, 2, 3, 4}), gauge_of(9)}, .exemplars = {}}, kPeriod,
      2);
  ASSERT_EQ(bodies.size(), 3U);
  const auto last = parse_json(metrics_of(bodies[2]));
  ASSERT_TRUE(last);
  ASSERT_EQ(last->size(), 2U) << "the rest of one metric, and the next one";
  EXPECT_EQ(last->at(0).at("sum").at("dataPoints").at(0).at("asDouble"), 4.0);
}

TEST(MetricJson, LeavesOutWhatIsNotANumber) {
  const auto not_a_number = gauge_of(std::numeric_limits<double>::quiet_NaN());
  const auto bodies =
      metrics_json(kResource, {.families = {not_a_number}, .exemplars = {}}, kPeriod);
  EXPECT_TRUE(bodies.empty());
}

}  // namespace
}  // namespace toolway::monitoring::otlp
