#include "cli/bench/profile/cost_picture.h"

#include <gtest/gtest.h>

namespace toolway::cli::bench::profile {
namespace {

KeptProfile profile() {
  Costs costs;
  for (const auto& role : kRoles) costs[role.name] = {.user_us = 100, .system_us = 100};
  costs["gateway"] = {.user_us = 300, .system_us = 100, .voluntary = 2, .involuntary = 1};
  costs["worker"].system_calls = 28.44;
  return {.json = {{"machine", {{"model", "A <b> & c"}, {"cores", 2}}},
                   {"figures", {{"calls_per_s", 1000}, {"p50", 1.0}, {"p99", 4.0}}}},
          .costs = costs};
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(CostPicture, HasABarForEachProcess) {
  const auto svg = cost_picture(profile());
  for (const auto& role : kRoles)
    EXPECT_EQ(count(svg, std::string(">") + role.shown + "</text>"), 1U) << role.shown;
  // The longest bar is as wide as there is room: 480, three quarters of it of user time.
  EXPECT_EQ(count(svg, "width=\"360.0\""), 1U) << svg;
  EXPECT_EQ(count(svg, "width=\"120.0\""), 11U) << "and the others in proportion";
  EXPECT_EQ(count(svg, ">400 us</text>"), 1U) << svg;
  EXPECT_EQ(count(svg, ">28.4</text>"), 1U) << svg;
  EXPECT_EQ(count(svg, ">unknown</text>"), 5U) << svg;
  EXPECT_EQ(count(svg, ">3.0</text>"), 1U) << svg;
  EXPECT_NE(svg.find("1400 us in total, at 1000 calls/s"), std::string::npos) << svg;
  EXPECT_NE(svg.find("A &lt;b&gt; &amp; c, 2 cores"), std::string::npos) << svg;
}

}  // namespace
}  // namespace toolway::cli::bench::profile
