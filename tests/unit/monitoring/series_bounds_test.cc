#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "monitoring/metric_names.h"
#include "monitoring/metric_registry.h"
#include "monitoring/metric_snapshot.h"
#include "monitoring/metric_table.h"

namespace toolway::monitoring {
namespace {

std::size_t series_of(MetricRegistry& metrics, std::string_view name) {
  for (const auto& family : metrics.snapshot().families) {
    if (family.name == name) return family.metric.size();
  }
  return 0;
}

TEST(SeriesBounds, AValueTooManyBecomesOther) {
  const auto metrics = make_registry("worker", {.values_per_label = 3, .series_per_metric = 100});
  for (int i = 0; i < 10; ++i) {
    const auto tool = "t." + std::to_string(i);
    metrics->counter(kRetries, CallKey{.tool = tool, .pool = "native"}).add();
  }
  EXPECT_EQ(series_of(*metrics, kRetries), 4U);
  EXPECT_EQ(metrics->counter(kRetries, CallKey{.tool = "other", .pool = "native"}).value(), 7);
  EXPECT_EQ(metrics->counter(kRetries, CallKey{.tool = "t.0", .pool = "native"}).value(), 1)
      << "who was there, stays";
  // Nor does the other label get lost: it has room.
  metrics->counter(kRetries, CallKey{.tool = "t.11", .pool = "python"}).add();
  EXPECT_EQ(metrics->counter(kRetries, CallKey{.tool = "other", .pool = "python"}).value(), 1);
  EXPECT_GE(metrics->counter(kSeriesDropped, "metric", kRetries).value(), 8);
  EXPECT_EQ(series_of(*metrics, kSeriesDropped), 1U);
}

TEST(SeriesBounds, TheSeriesOfAMetricAreLimited) {
  const auto metrics = make_registry("worker", {.values_per_label = 100, .series_per_metric = 6});
  for (int tool = 0; tool < 5; ++tool) {
    for (int pool = 0; pool < 5; ++pool) {
      metrics
          ->histogram(kRun,
                      {.tool = "t." + std::to_string(tool), .pool = "p" + std::to_string(pool)})
          .observe(std::chrono::milliseconds(1));
    }
  }
  EXPECT_EQ(series_of(*metrics, kRun), 7U) << "six, and one for all the others";
  std::uint64_t observed = 0;
  for (const auto& family : metrics->snapshot().families) {
    for (const auto& series : family.metric) observed += series.histogram.sample_count;
  }
  EXPECT_EQ(observed, 25U) << "none is lost";
}

TEST(SeriesBounds, EverythingHoldsTwoThousandToolsAndNoMore) {
  const auto metrics = make_registry("worker");
  for (int i = 0; i < 3000; ++i)
    metrics->counter(kRetries, CallKey{.tool = std::to_string(i), .pool = "native"}).add();
  EXPECT_EQ(series_of(*metrics, kRetries), 2001U);
}

TEST(SeriesBounds, TheMetricThatCountsThemIsBoundedToo) {
  const auto metrics = make_registry("worker", {.values_per_label = 1, .series_per_metric = 100});
  for (const auto name : {kRetries.text(), kRun.text(), kCallsAccepted.text()})
    metrics->counter(kSeriesDropped, "metric", name).add();
  EXPECT_EQ(metrics->counter(kSeriesDropped, "metric", "other").value(), 2);
}

TEST(SeriesBounds, LabelValuesAreEscaped) {
  const auto metrics = make_registry("worker");
  metrics->counter(kCallsRefused, "code", "a\"b\\c\nd").add();
  EXPECT_NE(metrics->scrape().find(R"(toolway_calls_refused_total{code="a\"b\\c\nd"} 1)"),
            std::string::npos);
}

// Labels that would hold something of one user, session or call cannot be added by mistake: the
// table does not have them, and what it does not have aborts.
TEST(SeriesBounds, NoLabelIsOfOneUserSessionOrCall) {
  for (const auto& about : metric_table()) {
    for (const char* unbounded :
         {"session", "user", "call_id", "tenant", "trace", "worker", "message", "path"}) {
      EXPECT_EQ(about.labels.find(unbounded), std::string_view::npos) << about.name;
    }
    EXPECT_LE(std::ranges::count(about.labels, ','), 3) << about.name;
  }
}

TEST(SeriesBoundsDeathTest, WhatTheTableDoesNotHaveAborts) {
  const auto metrics = make_registry("worker");
  EXPECT_DEATH(metrics->counter(kRetries, "session", "s1"), "has no label session");
  EXPECT_DEATH(metrics->counter(kRetries, {{"tool", "a.b"}, {"call_id", "1"}}),
               "has no label call_id");
  EXPECT_DEATH(metrics->counter(kReconnects, "too", "l"), "has no label too");
  EXPECT_DEATH(metrics->counter(CounterName("toolway_unheard_of_total")),
               "not in monitoring/metric_table.cc");
}

template <typename Name>
concept NamesAGauge = requires(Metrics& metrics, Name name) { metrics.gauge(name); };
static_assert(NamesAGauge<decltype(kSlots)>);
static_assert(!NamesAGauge<decltype(kRetries)>, "a counter's name");
static_assert(!NamesAGauge<decltype(kProcessResident)>, "read when metrics are collected");
static_assert(!NamesAGauge<std::string_view>, "made up at run time");

}  // namespace
}  // namespace toolway::monitoring
