#include "cli/bench/profile/measurement.h"

#include <gtest/gtest.h>

namespace toolway::cli::bench::profile {
namespace {

Round round(double us, double others) {
  return {.figures = {{"others", others}}, .costs = {{"gateway", {.user_us = us}}}};
}

/// The CPU of the round that counts.
double best(const std::vector<Round>& rounds) {
  return best_of(rounds).costs.at("gateway").user_us;
}

TEST(Measurement, TakesTheBestOfTheQuietRounds) {
  EXPECT_EQ(best({round(600, 2), round(580, 9), round(590, 1)}), 580);
  EXPECT_EQ(best({round(600, 2), round(470, 52)}), 600)
      << "calls that had to wait are handled together, which is cheaper";
}

TEST(Measurement, TakesTheRoundDisturbedLeastWhenNoneIsQuiet) {
  EXPECT_EQ(best({round(470, 52), round(500, 30), round(480, 40)}), 500);
  EXPECT_FALSE(is_quiet(round(500, 30)));
}

}  // namespace
}  // namespace toolway::cli::bench::profile
