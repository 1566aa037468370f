// docs/metrics.md lists every metric as the code has it. After a change that is meant:
// TOOLWAY_WRITE_GOLDEN=1 build/tests/unit_monitoring_tests, and read the diff.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "monitoring/metric_table.h"
#include "tests/paths.h"

namespace toolway::monitoring {
namespace {

const std::string kPage = TOOLWAY_SOURCE_DIR "/docs/metrics.md";
constexpr std::string_view kBegin = "<!-- from monitoring/metric_table.cc -->\n";
constexpr std::string_view kEnd = "<!-- end -->\n";

std::string type_name(MetricType type) {
  switch (type) {
    case MetricType::kCounter: return "counter";
    case MetricType::kGauge: return "gauge";
    case MetricType::kHistogram: return "histogram";
  }
  return "";
}

std::string table() {
  std::string text = "| name | type | labels | meaning |\n|---|---|---|---|\n";
  for (const auto& [name, type, source, unit, labels, help] : metric_table()) {
    std::string listed;
    for (const char c : labels) listed += c == ',' ? ", " : std::string(1, c);
    text += "| `" + std::string(name) + "` | " + type_name(type) + " | " + listed + " | " +
            std::string(help) + " |\n";
  }
  return text;
}

TEST(MetricsPage, ListsWhatTheTableHas) {
  std::ifstream in(kPage);
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const auto begin = page.find(kBegin);
  const auto end = page.find(kEnd);
  ASSERT_TRUE(begin != std::string::npos && end != std::string::npos && begin < end)
      << kPage << " has lost its marks";
  const std::string listed = page.substr(begin + kBegin.size(), end - begin - kBegin.size());
  if (std::getenv("TOOLWAY_WRITE_GOLDEN") != nullptr) {
    std::ofstream(kPage) << page.substr(0, begin + kBegin.size()) << table() << page.substr(end);
    return;
  }
  EXPECT_EQ(listed, table());
}

TEST(MetricsPage, EveryMetricSaysWhatItIs) {
  for (const auto& about : metric_table()) {
    EXPECT_TRUE(about.help.ends_with(".")) << about.name;
    EXPECT_EQ(about.help.find('|'), std::string_view::npos) << about.name;
    EXPECT_EQ(about.type == MetricType::kCounter, about.name.ends_with("_total")) << about.name;
    if (about.type != MetricType::kHistogram) continue;
    EXPECT_EQ(about.unit == MetricUnit::kSeconds, about.name.ends_with("_seconds"))
        << about.name << ": the buckets are seconds, unless they are tokens";
  }
}

}  // namespace
}  // namespace toolway::monitoring
