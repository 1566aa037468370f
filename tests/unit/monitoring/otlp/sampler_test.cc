#include "monitoring/otlp/sampler.h"

#include <gtest/gtest.h>

namespace toolway::monitoring::otlp {
namespace {

int sampled_of(int traces, double probability) {
  const RootSampler sampler(probability);
  int sampled = 0;
  for (int i = 0; i < traces; ++i) sampled += sampler.samples(TraceContext::root(true)) ? 1 : 0;
  return sampled;
}

TEST(RootSampler, TakesAllNoneOrItsPart) {
  EXPECT_EQ(sampled_of(1000, 1), 1000);
  EXPECT_EQ(sampled_of(1000, 0), 0);
  // Binomial: the deviation is 67, and this allows nine of it.
  EXPECT_NEAR(sampled_of(50'000, 0.1), 5000, 600);
}

TEST(RootSampler, AllProcessesDecideAlike) {
  const auto trace = parse_trace_context(
      "00-000000000000000001"
      "80000000000000-0000000000000001-01");
  EXPECT_TRUE(RootSampler(0.5).samples(trace));
  EXPECT_FALSE(RootSampler(0.499).samples(trace));
}

}  // namespace
}  // namespace toolway::monitoring::otlp
