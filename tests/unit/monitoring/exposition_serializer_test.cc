#include "monitoring/exposition_serializer.h"

#include <gtest/gtest.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>

namespace toolway::monitoring {
namespace {

const prometheus::Histogram::BucketBoundaries kBounds(kSecondsBounds.begin(), kSecondsBounds.end());
const Exemplars kNoExemplars;

/// A new family.
template <typename Builder>
auto& add_family(prometheus::Registry& registry, Builder builder, const char* name,
                 const char* help) {
  return builder.Name(name).Help(help).Register(registry);
}

/// One series of each type; the histogram has 1 ms twice, and 400 s.
std::vector<prometheus::MetricFamily> one_of_each() {
  prometheus::Registry registry;
  add_family(registry, prometheus::BuildCounter(), "toolway_things_total",
             "What a \"thing\" is, by C:\\.")
      .Add({{"tool", "a.b"}, {"pool", "native"}})
      .Increment(3);
  add_family(registry, prometheus::BuildGauge(), "toolway_memory_bytes", "Bytes.").Add({}).Set(1.5);
  auto& histograms =
      add_family(registry, prometheus::BuildHistogram(), "toolway_run_seconds", "Time.");
  for (const double seconds : {0.001, 0.001, 400.0}) histograms.Add({}, kBounds).Observe(seconds);
  return registry.Collect();
}

Exemplars exemplar_of_one_millisecond() {
  ExemplarSlots slots;
  slots.put(0.001, parse_trace_context("00-5b8efff798038103d269b633813fc60c-eee19b7ec3c1b174-01"),
            from_unix_us(1'520'879'607'000'789));
  Exemplars exemplars;
  exemplars.add("toolway_run_seconds", "", slots.read());
  return exemplars;
}

std::string written(Exposition format) {
  const Exemplars exemplars = exemplar_of_one_millisecond();
  return ExpositionSerializer(format, exemplars).Serialize(one_of_each());
}

/// The lines from the first one that begins with `from` on, as many as `expected` has.
testing::AssertionResult has_lines(const std::string& text, const std::string& expected) {
  if (text.find(expected) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "not in\n" << text;
}

TEST(ExpositionSerializer, WritesPrometheusText) {
  const auto text = written(Exposition::kPrometheusText);
  EXPECT_TRUE(has_lines(text,
                        "# HELP toolway_things_total What a \"thing\" is, by C:\\\\.\n"
                        "# TYPE toolway_things_total counter\n"
                        "toolway_things_total{pool=\"native\",tool=\"a.b\"} 3\n"
                        "# HELP toolway_memory_bytes Bytes.\n"
                        "# TYPE toolway_memory_bytes gauge\n"
                        "toolway_memory_bytes 1.5\n"
                        "# HELP toolway_run_seconds Time.\n"
                        "# TYPE toolway_run_seconds histogram\n"
                        "toolway_run_seconds_bucket{le=\"0.0005\"} 0\n"
                        "toolway_run_seconds_bucket{le=\"0.001\"} 2\n"
                        "toolway_run_seconds_bucket{le=\"0.002\"} 2\n"));
  EXPECT_TRUE(has_lines(text, "toolway_run_seconds_bucket{le=\"1.0\"} 2\n"));
  EXPECT_TRUE(has_lines(text,
                        "toolway_run_seconds_bucket{le=\"300.0\"} 2\n"
                        "toolway_run_seconds_bucket{le=\"+Inf\"} 3\n"
                        "toolway_run_seconds_sum 400.002\n"
                        "toolway_run_seconds_count 3\n"));
  EXPECT_EQ(text.find("trace_id"), std::string::npos) << "exemplars are OpenMetrics' alone";
  EXPECT_EQ(text.find("# EOF"), std::string::npos);
  EXPECT_EQ(text.find("# UNIT"), std::string::npos);
}

TEST(ExpositionSerializer, WritesOpenMetrics) {
  const auto text = written(Exposition::kOpenMetrics);
  EXPECT_TRUE(has_lines(text,
                        "# HELP toolway_things What a \\\"thing\\\" is, by C:\\\\.\n"
                        "# TYPE toolway_things counter\n"
                        "toolway_things_total{pool=\"native\",tool=\"a.b\"} 3\n"));
  EXPECT_TRUE(has_lines(text,
                        "# TYPE toolway_memory_bytes gauge\n"
                        "# UNIT toolway_memory_bytes bytes\n"
                        "toolway_memory_bytes 1.5\n"));
  EXPECT_TRUE(has_lines(text, "# UNIT toolway_run_seconds seconds\n"));
  EXPECT_TRUE(has_lines(
      text,
      "toolway_run_seconds_bucket{le=\"0.001\"} 2 # {trace_id=\"5b8efff798038103d269b633813fc60c\","
      "span_id=\"eee19b7ec3c1b174\"} 0.001 1520879607.000789\n"
      "toolway_run_seconds_bucket{le=\"0.002\"} 2\n"));
  EXPECT_TRUE(text.ends_with("\n# EOF\n"));
}

TEST(ExpositionSerializer, WritesTheSameToAStream) {
  std::ostringstream stream;
  const ExpositionSerializer serializer(Exposition::kOpenMetrics, kNoExemplars);
  serializer.Serialize(stream, one_of_each());
  EXPECT_EQ(stream.str(), serializer.Serialize(one_of_each()));
}

TEST(ExpositionSerializer, BoundsMayDifferFromOneHistogramToTheNext) {
  prometheus::Registry registry;
  auto& family = add_family(registry, prometheus::BuildHistogram(), "toolway_run_seconds", "Time.");
  family.Add({{"tool", "a"}}, prometheus::Histogram::BucketBoundaries{1, 2}).Observe(1.5);
  family.Add({{"tool", "b"}}, prometheus::Histogram::BucketBoundaries{1, 3}).Observe(1.5);
  const auto text =
      ExpositionSerializer(Exposition::kPrometheusText, kNoExemplars).Serialize(registry.Collect());
  EXPECT_TRUE(has_lines(text, "toolway_run_seconds_bucket{tool=\"a\",le=\"2.0\"} 1\n"));
  EXPECT_TRUE(has_lines(text, "toolway_run_seconds_bucket{tool=\"b\",le=\"3.0\"} 1\n"));
}

TEST(ExpositionSerializer, LeavesOutTypesThatItDoesNotKnow) {
  std::vector<prometheus::MetricFamily> families = one_of_each();
  const auto before =
      ExpositionSerializer(Exposition::kPrometheusText, kNoExemplars).Serialize(families);
  families.push_back({"toolway_summary", "Never.", prometheus::MetricType::Summary,
                      std::vector<prometheus::ClientMetric>(1)});
  EXPECT_EQ(ExpositionSerializer(Exposition::kPrometheusText, kNoExemplars).Serialize(families),
            before);
}

/// Values by series; bounds of buckets as numbers, which prometheus-cpp writes with all their
/// digits.
std::map<std::string, double> samples_of(const std::string& text) {
  std::map<std::string, double> samples;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    const auto space = line.rfind(' ');
    std::string series = line.substr(0, space);
    if (const auto bound = series.find("le=\""); bound != std::string::npos) {
      series = series.substr(0, bound) +
               std::to_string(std::strtod(series.c_str() + bound + 4, nullptr));
    }
    EXPECT_TRUE(samples.emplace(series, std::strtod(line.c_str() + space + 1, nullptr)).second)
        << "twice: " << series;
  }
  return samples;
}

TEST(ExpositionSerializer, SaysWhatThePrometheusCppSerializerSays) {
  auto families = one_of_each();
  prometheus::Registry more;
  auto& gauges = add_family(more, prometheus::BuildGauge(), "toolway_values", "Odd ones.");
  const double values[] = {0.1 + 0.2,
                           -1.0 / 3,
                           1e300,
                           5e-324,
                           123'456'789'012'345'678.0,
                           -0.0,
                           std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()};
  int number = 0;
  for (const double value : values)
    gauges.Add({{"label", "a\"b\\c\nd" + std::to_string(++number)}}).Set(value);
  std::ranges::move(more.Collect(), std::back_inserter(families));

  const auto ours = samples_of(
      ExpositionSerializer(Exposition::kPrometheusText, kNoExemplars).Serialize(families));
  const auto theirs = samples_of(prometheus::TextSerializer().Serialize(families));
  ASSERT_EQ(ours.size(), theirs.size());
  EXPECT_EQ(ours.size(), 2 + kBuckets + 2 + std::size(values));
  for (const auto& [series, value] : theirs) {
    const auto found = ours.find(series);
    ASSERT_NE(found, ours.end()) << series;
    EXPECT_EQ(std::isnan(found->second), std::isnan(value)) << series;
    if (!std::isnan(value)) {
      EXPECT_DOUBLE_EQ(found->second, value) << series;
    }
  }
}

}  // namespace
}  // namespace toolway::monitoring
