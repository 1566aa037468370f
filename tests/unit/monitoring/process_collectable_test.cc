#include "monitoring/process_collectable.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "monitoring/metric_names.h"
#include "monitoring/metric_registry.h"
#include "monitoring/metric_table.h"

namespace toolway::monitoring {
namespace {

TEST(ProcessCollectable, HasEveryMetricThatItProvides) {
  std::size_t provided = 0;
  const auto families = ProcessCollectable("worker").Collect();
  for (const auto& about : metric_table()) {
    if (about.source != MetricSource::kCollected) continue;
    ++provided;
    const auto family = std::ranges::find(families, about.name, &prometheus::MetricFamily::name);
    ASSERT_NE(family, families.end()) << about.name;
    EXPECT_EQ(family->help, about.help);
    EXPECT_EQ(family->metric.size(), 1U);
    EXPECT_EQ(family->type == prometheus::MetricType::Counter, about.type == MetricType::kCounter)
        << about.name;
  }
  EXPECT_EQ(families.size(), provided);
}

TEST(ProcessCollectable, IsInEveryScrape) {
  const auto metrics = make_registry("worker");
  const auto text = metrics->scrape();
  EXPECT_NE(text.find("\ntoolway_build_info{process=\"worker\",version=\""), std::string::npos)
      << text;
  for (const auto& about : metric_table()) {
    if (about.source != MetricSource::kCollected || !about.labels.empty()) continue;
    EXPECT_NE(text.find("\n" + std::string(about.name) + " "), std::string::npos) << about.name;
  }
  EXPECT_GT(metrics->gauge(kScrape).value(), 0);
}

TEST(ProcessCollectable, CpuTimeNeverFalls) {
  const ProcessCollectable process("worker");
  const auto cpu = [&process] {
    const auto families = process.Collect();
    return std::ranges::find(families, kProcessCpu.text(), &prometheus::MetricFamily::name)
        ->metric.at(0)
        .counter.value;
  };
  const double before = cpu();
  EXPECT_GE(cpu(), before);
}

}  // namespace
}  // namespace toolway::monitoring
