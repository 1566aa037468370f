#include "monitoring/metrics.h"

#include <gtest/gtest.h>
#include <prometheus/check_names.h>

#include <algorithm>
#include <fstream>
#include <latch>
#include <sstream>
#include <thread>

#include "monitoring/metric_names.h"
#include "monitoring/metric_registry.h"
#include "monitoring/metric_snapshot.h"
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

TEST(Metrics, CountTokensInBucketsOfTheirOwn) {
  const auto metrics = make_metrics("chat");
  auto& tokens = metrics->tokens(kModelTokens, {{"gen_ai_token_type", "input"}});
  tokens.observe(5);
  tokens.observe(100'000);
  const std::string text = metrics->scrape();
  const std::string series = "gen_ai_client_token_usage_bucket{gen_ai_token_type=\"input\",le=";
  EXPECT_NE(text.find(series + "\"4.0\"} 0"), std::string::npos) << text;
  EXPECT_NE(text.find(series + "\"16.0\"} 1"), std::string::npos) << text;
  EXPECT_NE(text.find(series + "\"262144.0\"} 2"), std::string::npos) << text;
  EXPECT_NE(text.find("gen_ai_client_token_usage_sum{gen_ai_token_type=\"input\"} 100005"),
            std::string::npos)
      << text;
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

/// The only series of a metric.
prometheus::ClientMetric series_of(MetricRegistry& metrics, std::string_view name) {
  for (auto& family : metrics.snapshot().families) {
    if (family.name == name && family.metric.size() == 1) return family.metric[0];
  }
  ADD_FAILURE() << name << " has not exactly one series";
  return {};
}

TEST(Metrics, TheSumOfAHistogramNeverFallsThoughClocksDiffer) {
  const auto metrics = make_registry("worker");
  metrics->histogram(kBatchTime).observe(std::chrono::milliseconds(10));
  metrics->histogram(kBatchTime).observe(std::chrono::milliseconds(-5));
  const auto values = series_of(*metrics, kBatchTime).histogram;
  EXPECT_DOUBLE_EQ(values.sample_sum, 0.01);
  EXPECT_EQ(values.sample_count, 2U);
  ASSERT_EQ(values.bucket.size(), kBuckets);
  EXPECT_EQ(values.bucket[0].cumulative_count, 1U);
}

TEST(Metrics, AnObservationOnABoundIsInTheBucketThatEndsThere) {
  const auto metrics = make_registry("worker");
  for (const double bound : kSecondsBounds)
    metrics->histogram(kBatchTime).observe(std::chrono::duration<double>(bound));
  const auto values = series_of(*metrics, kBatchTime).histogram;
  for (std::size_t i = 0; i < kSecondsBounds.size(); ++i) {
    EXPECT_EQ(bucket_of(kSecondsBounds[i]), i) << "as exemplars are placed";
    EXPECT_EQ(values.bucket.at(i).upper_bound, kSecondsBounds[i]);
    EXPECT_EQ(values.bucket.at(i).cumulative_count, i + 1) << "as observations are";
  }
}

TEST(Metrics, AnExemplarIsInItsSeriesAndBucket) {
  const auto metrics = make_registry("worker");
  const auto fast = TraceContext::root(true);
  const auto slow = TraceContext::root(true);
  metrics->histogram(kRun, {.tool = "a.fast", .pool = "native"})
      .observe(std::chrono::milliseconds(1), fast);
  metrics->histogram(kRun, {.tool = "a.slow", .pool = "native"})
      .observe(std::chrono::seconds(2), slow);
  metrics->histogram(kRun, {.tool = "a.slow", .pool = "native"})
      .observe(std::chrono::seconds(2), TraceContext::root(false));
  const auto text = metrics->scrape(Exposition::kOpenMetrics);
  const auto begin = [](const std::string& tool, const std::string& bound, int count,
                        const TraceContext& trace) {
    return "\ntoolway_call_run_seconds_bucket{pool=\"native\",tool=\"" + tool + "\",le=\"" + bound +
           "\"} " + std::to_string(count) + " # {trace_id=\"" + trace.trace_id_hex() +
           "\",span_id=\"" + trace.span_id_hex() + "\"} ";
  };
  EXPECT_NE(text.find(begin("a.fast", "0.001", 1, fast)), std::string::npos) << text;
  EXPECT_NE(text.find(begin("a.slow", "2.5", 2, slow)), std::string::npos) << text;
  std::size_t exemplars = 0;
  for (auto at = text.find("trace_id"); at != std::string::npos; at = text.find("trace_id", at + 1))
    ++exemplars;
  EXPECT_EQ(exemplars, 2U) << "of sampled traces alone";
}

TEST(Metrics, AreInTheOrderOfTheTable) {
  const auto metrics = make_registry("worker");
  metrics->histogram(kPublish, "stream", "CALLS").observe(std::chrono::milliseconds(1));
  metrics->counter(kRetries, {.tool = "a.b", .pool = "native"}).add();
  metrics->gauge(kSlots).set(1);
  metrics->counter(kReconnects).add();
  std::vector<std::string> in_table;
  for (const auto& about : metric_table()) in_table.emplace_back(about.name);
  auto at = in_table.begin();
  for (const auto& family : metrics->snapshot().families) {
    at = std::find(at, in_table.end(), family.name);
    ASSERT_NE(at, in_table.end()) << family.name << " is not where the table has it";
  }
}

TEST(Metrics, NamesAndLabelsAreOnesThatPrometheusTakes) {
  for (const auto& about : metric_table()) {
    EXPECT_TRUE(prometheus::CheckMetricName(std::string(about.name))) << about.name;
    std::istringstream labels{std::string(about.labels)};
    for (std::string label; std::getline(labels, label, ',');) {
      EXPECT_TRUE(prometheus::CheckLabelName(label)) << about.name << ": " << label;
    }
  }
}

TEST(Metrics, ThreadsThatAskAtOnceGetTheSameInstrument) {
  constexpr int kThreads = 4;
  constexpr int kTools = 300;
  const auto metrics = make_registry("worker");
  std::latch start(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&] {
        start.arrive_and_wait();
        for (int tool = 0; tool < kTools; ++tool) {
          const auto name = "a.tool_" + std::to_string(tool);
          metrics->counter(kRetries, CallKey{.tool = name, .pool = "native"}).add();
          metrics->histogram(kRun, {.tool = name, .pool = "native"})
              .observe(std::chrono::milliseconds(1), TraceContext::root(true));
          if (tool % 50 == 0) (void)metrics->scrape(Exposition::kOpenMetrics);
        }
      });
    }
  }
  const MetricSnapshot now = metrics->snapshot();
  for (const auto& family : now.families) {
    if (family.name != kRetries && family.name != kRun) continue;
    EXPECT_EQ(family.metric.size(), static_cast<std::size_t>(kTools)) << family.name;
    for (const auto& series : family.metric) {
      EXPECT_EQ(family.name == kRetries ? series.counter.value
                                        : static_cast<double>(series.histogram.sample_count),
                kThreads);
    }
  }
}

TEST(Metrics, TheSameNameIsTheSameInstrument) {
  const auto metrics = make_metrics("worker");
  EXPECT_EQ(&metrics->counter(kReconnects), &metrics->counter(kReconnects));
  EXPECT_NE(&metrics->counter(kPublishErrors, "code", "timeout"),
            &metrics->counter(kPublishErrors, "code", "overloaded"));
}

}  // namespace
}  // namespace toolway::monitoring
