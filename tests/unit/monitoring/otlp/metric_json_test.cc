#include "monitoring/otlp/metric_json.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/json.h"

namespace toolway::monitoring {
namespace {

using std::chrono::milliseconds;

constexpr MetricDescription kCounterOf{"toolway_things_total", MetricType::kCounter, "tool", "Things."};
constexpr MetricDescription kGaugeOf{"toolway_memory_bytes", MetricType::kGauge, "", "Bytes."};
constexpr MetricDescription kHistogramOf{"toolway_run_seconds", MetricType::kHistogram, "", "Time."};
constexpr MetricPeriod kPeriod{.start = WallTime(std::chrono::seconds(1)), .now = WallTime(std::chrono::seconds(61))};
const NamedTexts kResource{{"service.name", "toolway-worker"}};
const SeriesLabels kNone{};

std::string metrics_of(const std::string& body) {
  const auto json = parse_ordered_json(body);
  return json ? to_text(json->at("resourceMetrics").at(0).at("scopeMetrics").at(0).at("metrics")) : json.error().message;
}

// Names and forms: opentelemetry-proto's metrics.proto in the OTLP specification's JSON mapping.
TEST(MetricJson, SumsAndGaugesAreWhatTheSpecificationSays) {
  const SeriesLabels labels{{{"tool", "a.b"}}, R"(tool="a.b")"};
  const auto bodies = metrics_json(kResource,
                                   {{.about = &kCounterOf, .scalars = {{&labels, 3}}, .histograms = {}},
                                    {.about = &kGaugeOf, .scalars = {{&kNone, 1.5}}, .histograms = {}}}, kPeriod);
  ASSERT_EQ(bodies.size(), 1U);
  EXPECT_TRUE(bodies[0].starts_with(R"({"resourceMetrics":[{"resource":{"attributes":[{"key":"service.name",)"
                                    R"("value":{"stringValue":"toolway-worker"}}]},"scopeMetrics":[{"scope":{"name":"toolway")"))
      << bodies[0];
  EXPECT_EQ(metrics_of(bodies[0]),
            R"([{"name":"toolway_things_total","description":"Things.","unit":"","sum":{"dataPoints":[{)"
            R"("attributes":[{"key":"tool","value":{"stringValue":"a.b"}}],"startTimeUnixNano":"1000000000",)"
            R"("timeUnixNano":"61000000000","asDouble":3.0}],"aggregationTemporality":2,"isMonotonic":true}},)"
            R"({"name":"toolway_memory_bytes","description":"Bytes.","unit":"By","gauge":{"dataPoints":[{)"
            R"("attributes":[],"startTimeUnixNano":"1000000000","timeUnixNano":"61000000000","asDouble":1.5}]}}])");
}

TEST(MetricJson, HistogramsHaveBoundsCountsAndExemplars) {
  AtomicHistogram histogram;
  histogram.observe(milliseconds(1), parse_trace_context("00-5b8efff798038103d269b633813fc60c-eee19b7ec3c1b174-01"));
  histogram.observe(std::chrono::seconds(400));
  const auto bodies = metrics_json(
      kResource, {{.about = &kHistogramOf, .scalars = {}, .histograms = {{&kNone, histogram.values()}}}}, kPeriod);
  const auto json = parse_json(metrics_of(bodies.at(0)));
  ASSERT_TRUE(json);
  const auto& point = json->at(0).at("histogram").at("dataPoints").at(0);
  EXPECT_EQ(json->at(0).at("histogram").at("aggregationTemporality"), 2);
  EXPECT_EQ(point.at("count"), "2");
  EXPECT_DOUBLE_EQ(point.at("sum"), 400.001);
  ASSERT_EQ(point.at("explicitBounds").size(), kSecondsBounds.size());
  EXPECT_EQ(point.at("explicitBounds").at(1), 0.001);
  ASSERT_EQ(point.at("bucketCounts").size(), kSecondsBounds.size() + 1) << "one more than bounds";
  EXPECT_EQ(point.at("bucketCounts").at(0), "0");
  EXPECT_EQ(point.at("bucketCounts").at(1), "1") << "of this bucket alone, unlike Prometheus'";
  EXPECT_EQ(point.at("bucketCounts").back(), "1");
  ASSERT_EQ(point.at("exemplars").size(), 1U);
  EXPECT_EQ(point.at("exemplars").at(0).at("traceId"), "5b8efff798038103d269b633813fc60c");
  EXPECT_EQ(point.at("exemplars").at(0).at("spanId"), "eee19b7ec3c1b174");
  EXPECT_EQ(point.at("exemplars").at(0).at("asDouble"), 0.001);
}

TEST(MetricJson, ManyPointsAreSeveralRequests) {
  FamilySnapshot family{.about = &kCounterOf, .scalars = {}, .histograms = {}};
  for (int i = 0; i < 5; ++i) family.scalars.push_back({&kNone, static_cast<double>(i)});
  const auto bodies = metrics_json(kResource, {family, {.about = &kGaugeOf, .scalars = {{&kNone, 9}}, .histograms = {}}},
                                   kPeriod, 2);
  ASSERT_EQ(bodies.size(), 3U);
  const auto last = parse_json(metrics_of(bodies[2]));
  ASSERT_TRUE(last);
  ASSERT_EQ(last->size(), 2U) << "the rest of one metric, and the next one";
  EXPECT_EQ(last->at(0).at("sum").at("dataPoints").at(0).at("asDouble"), 4.0);
}

TEST(MetricJson, WhatIsNoNumberIsLeftOut) {
  const auto bodies = metrics_json(
      kResource, {{.about = &kGaugeOf, .scalars = {{&kNone, std::numeric_limits<double>::quiet_NaN()}}, .histograms = {}}},
      kPeriod);
  EXPECT_TRUE(bodies.empty());
}

}  // namespace
}  // namespace toolway::monitoring
