#include "monitoring/metrics.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "monitoring/instruments.h"
#include "monitoring/metric_names.h"
#include "monitoring/metric_table.h"
#include "tests/paths.h"

namespace toolway::monitoring {
namespace {

std::string type_name(MetricType type) {
  switch (type) {
    case MetricType::kCounter: return "counter";
    case MetricType::kGauge: return "gauge";
    case MetricType::kHistogram: return "histogram";
  }
  return "";
}

TEST(Metrics, NamesAreAsTheGoldenFileHasThem) {
  std::string names;
  for (const MetricDescription& metric : metric_table()) {
    names += std::string(metric.name) + " " + type_name(metric.type) + "\n";
  }
  std::ifstream file(TOOLWAY_SOURCE_DIR "/tests/golden/metrics.txt");
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(names, golden.str()) << "dashboards and alerts rely on these names: change them on "
                                    "purpose, here and in tests/golden/metrics.txt";
}

TEST(Metrics, CountsByToolPoolAndOutcome) {
  const auto metrics = make_metrics("worker");
  const CallKey key{.tool = "time.get_current_time", .pool = "native", .outcome = "succeeded"};
  metrics->counter(kCallsCompleted, key).add();
  metrics->counter(kCallsCompleted, key).add(2);
  metrics->gauge(kSlots).set(128);
  metrics->histogram(kRun, {.tool = "a.b", .pool = "native"}).observe(std::chrono::milliseconds(3));
  metrics->gauge(kCollectorLag, "stream", "CALLS").set(7);
  const std::string text = metrics->scrape();
  EXPECT_NE(text.find("toolway_calls_completed_total{outcome=\"succeeded\",pool=\"native\","
                      "tool=\"time.get_current_time\"} 3"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("toolway_worker_slots 128"), std::string::npos);
  EXPECT_NE(text.find("toolway_collector_lag_messages{stream=\"CALLS\"} 7"), std::string::npos);
  EXPECT_NE(text.find("toolway_call_run_seconds_bucket"), std::string::npos);
  EXPECT_NE(text.find("process=\"worker\""), std::string::npos);
}

TEST(Metrics, TheSumOfAHistogramNeverFallsThoughClocksDiffer) {
  AtomicHistogram histogram;
  histogram.observe(std::chrono::milliseconds(10));
  histogram.observe(std::chrono::milliseconds(-5));
  EXPECT_DOUBLE_EQ(histogram.values().sum, 0.01);
  EXPECT_EQ(histogram.values().counts[0], 1U);
}

TEST(Metrics, TheSameNameIsTheSameInstrument) {
  const auto metrics = make_metrics("worker");
  EXPECT_EQ(&metrics->counter(kReconnects), &metrics->counter(kReconnects));
  EXPECT_NE(&metrics->counter(kPublishErrors, "code", "timeout"),
            &metrics->counter(kPublishErrors, "code", "overloaded"));
}

}  // namespace
}  // namespace toolway::monitoring
