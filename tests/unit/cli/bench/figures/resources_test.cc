#include "cli/bench/figures/resources.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace toolway::cli::bench::figures {
namespace {

TEST(Resources, TheLargestOfAMetricsSeries) {
  const std::string text =
      "# TYPE lag gauge\nlag{stream=\"calls\"} 0.5\nlag{stream=\"events\"} 2.5\nlag_messages 900\nother 7\n";
  EXPECT_DOUBLE_EQ(*largest_value(text, "lag"), 2.5);
  EXPECT_DOUBLE_EQ(*largest_value(text, "lag_messages"), 900);
  EXPECT_FALSE(largest_value(text, "la"));
  EXPECT_FALSE(largest_value("", "lag"));
}

TEST(Resources, GrowthIsOfTheLastTenthOverTheFirst) {
  std::vector<ResourceSample> samples;
  for (int i = 0; i < 100; ++i) {
    ResourceSample sample{.at = static_cast<double>(i)};
    const bool late = i >= 90;
    sample.roles["gateway"] = {
        .memory_mb = late ? 110.0 : 100.0, .fds = late ? 53.0 : 50.0, .threads = 4};
    sample.roles["worker"] = {
        .memory_mb = 100, .fds = late ? 8.0 : 10.0, .threads = late ? 5.0 : 4.0};
    sample.roles["nats"] = {.memory_mb = i * 10.0, .fds = 1, .threads = 1};
    sample.lag_s = i == 50 ? 3.0 : 0.1;
    samples.push_back(sample);
  }
  const auto figures = resource_figures(samples);
  EXPECT_NEAR(figures.at("memory_growth"), 10,
              1e-9);  // of the gateway; NATS fills its streams up to their limits, and is not ours
  EXPECT_NEAR(figures.at("fds_growth"), 3, 1e-9);
  EXPECT_NEAR(figures.at("threads_growth"), 1, 1e-9);
  EXPECT_NEAR(figures.at("lag"), 3000, 1e-9);
  EXPECT_NEAR(figures.at("lag_growth"), 0, 1e-9);
  EXPECT_TRUE(resource_figures({}).empty());
}

}  // namespace
}  // namespace toolway::cli::bench::figures
