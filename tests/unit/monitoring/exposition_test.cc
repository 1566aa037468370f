#include "monitoring/exposition.h"

#include <gtest/gtest.h>

namespace toolway::monitoring {
namespace {

using std::chrono::milliseconds;

constexpr MetricDescription kCounterOf{"toolway_things_total", MetricType::kCounter, "tool,pool", "What a \"thing\" is, by C:\\."};
constexpr MetricDescription kGaugeOf{"toolway_memory_bytes", MetricType::kGauge, "", "Bytes."};
constexpr MetricDescription kHistogramOf{"toolway_run_seconds", MetricType::kHistogram, "", "Time."};

/// One series of each type; the histogram has 1 ms twice, once with a span, and 400 s.
MetricSnapshot snapshot() {
  static const SeriesLabels labels{{{"pool", "native"}, {"tool", "a.b"}}, R"(pool="native",tool="a.b")"};
  static const SeriesLabels none{};
  AtomicHistogram histogram;
  histogram.observe(milliseconds(1));
  histogram.observe(milliseconds(1), parse_trace_context("00-5b8efff798038103d269b633813fc60c-eee19b7ec3c1b174-01"));
  histogram.observe(std::chrono::seconds(400));
  auto values = histogram.values();
  values.exemplars.at(0).exemplar.at = from_unix_us(1'520'879'607'000'789);
  return {{.about = &kCounterOf, .scalars = {{&labels, 3}}, .histograms = {}},
          {.about = &kGaugeOf, .scalars = {{&none, 1.5}}, .histograms = {}},
          {.about = &kHistogramOf, .scalars = {}, .histograms = {{&none, values}}}};
}

/// The lines from the first one that begins with `from` on, as many as `expected` has.
testing::AssertionResult has_lines(const std::string& text, const std::string& expected) {
  if (text.find(expected) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "not in\n" << text;
}

TEST(Exposition, WritesPrometheusText) {
  const auto text = write_exposition(snapshot(), Exposition::kPrometheusText);
  EXPECT_TRUE(has_lines(text, "# HELP toolway_things_total What a \"thing\" is, by C:\\\\.\n"
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
  EXPECT_TRUE(has_lines(text, "toolway_run_seconds_bucket{le=\"300.0\"} 2\n"
                              "toolway_run_seconds_bucket{le=\"+Inf\"} 3\n"
                              "toolway_run_seconds_sum 400.002\n"
                              "toolway_run_seconds_count 3\n"));
  EXPECT_EQ(text.find("trace_id"), std::string::npos) << "exemplars are OpenMetrics' alone";
  EXPECT_EQ(text.find("# EOF"), std::string::npos);
  EXPECT_EQ(text.find("# UNIT"), std::string::npos);
}

TEST(Exposition, WritesOpenMetrics) {
  const auto text = write_exposition(snapshot(), Exposition::kOpenMetrics);
  EXPECT_TRUE(has_lines(text, "# HELP toolway_things What a \\\"thing\\\" is, by C:\\\\.\n"
                              "# TYPE toolway_things counter\n"
                              "toolway_things_total{pool=\"native\",tool=\"a.b\"} 3\n"));
  EXPECT_TRUE(has_lines(text, "# TYPE toolway_memory_bytes gauge\n"
                              "# UNIT toolway_memory_bytes bytes\n"
                              "toolway_memory_bytes 1.5\n"));
  EXPECT_TRUE(has_lines(text, "# UNIT toolway_run_seconds seconds\n"));
  EXPECT_TRUE(has_lines(text, "toolway_run_seconds_bucket{le=\"0.001\"} 2 # {trace_id=\"5b8efff798038103d269b633813fc60c\","
                              "span_id=\"eee19b7ec3c1b174\"} 0.001 1520879607.000789\n"
                              "toolway_run_seconds_bucket{le=\"0.002\"} 2\n"));
  EXPECT_TRUE(text.ends_with("\n# EOF\n"));
}

TEST(Exposition, IsWhatWasAskedFor) {
  using enum Exposition;
  // What Prometheus 2.42 and 3.5 send, with and without OpenMetrics; browsers; curl.
  EXPECT_EQ(choose_exposition("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
                              "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"), kOpenMetrics);
  EXPECT_EQ(choose_exposition("application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
                              "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;"
                              "q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1"), kOpenMetrics);
  EXPECT_EQ(choose_exposition("text/plain;version=0.0.4;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5"), kPrometheusText);
  EXPECT_EQ(choose_exposition("application/openmetrics-text"), kOpenMetrics);
  EXPECT_EQ(choose_exposition("APPLICATION/OpenMetrics-Text ; Version=1.0.0 ; Q=1"), kOpenMetrics);
  for (const char* text : {"", "*/*", "text/html,application/xhtml+xml,*/*;q=0.8", "application/openmetrics-text;q=0",
                           "application/openmetrics-text;version=0.0.1", "application/openmetrics-text;q=", ",;=,;;"}) {
    EXPECT_EQ(choose_exposition(text), kPrometheusText) << text;
  }
}

}  // namespace
}  // namespace toolway::monitoring
