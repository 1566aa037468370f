#include "tools/model/rollout.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/ids.h"
#include "tools/model/kinds.h"
#include "tools/model/registry.h"

namespace toolway::tools::model {
namespace {

TEST(Rollout, GivesAsManySessionsTheCandidateAsItSays) {
  constexpr int kSessions = 20'000;
  for (const unsigned percent : {1U, 10U, 50U, 99U}) {
    int in = 0;
    for (int i = 0; i < kSessions; ++i)
      in += in_rollout(SessionKey::make().text(), "shop.buy", percent);
    // Five standard deviations of a fair draw, and keys are random.
    const double sigma = std::sqrt(kSessions * percent / 100.0 * (1 - percent / 100.0));
    EXPECT_NEAR(in, kSessions * percent / 100.0, 5 * sigma) << percent;
  }
}

TEST(Rollout, ASessionStaysInWhileTheShareGrowsAndIsAnotherForAnotherTool) {
  int differs = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto key = SessionKey::make().text();
    bool before = false;
    for (unsigned percent = 1; percent <= 99; ++percent) {
      const bool in = in_rollout(key, "shop.buy", percent);
      EXPECT_EQ(in, in_rollout(key, "shop.buy", percent));
      EXPECT_TRUE(in || !before) << key << " fell out at " << percent;
      before = in;
    }
    differs += in_rollout(key, "shop.buy", 50) != in_rollout(key, "shop.sell", 50);
  }
  EXPECT_GT(differs, 350);
}

/// The decision must be the same in every build: a fleet may run two of them.
TEST(Rollout, IsTheSameEverywhere) {
  unsigned least = 1;
  while (!in_rollout("a3f00000000000000000000000000001", "shop.buy", least)) ++least;
  EXPECT_EQ(least, 67U);
}

RegisteredToolPtr tool(const std::string& name, const std::string& version) {
  return *register_tool(declared_tool({.name = name,
                                       .ns = "shop",
                                       .input_schema = {{"type", "object"}},
                                       .kind = Kind::kPython,
                                       .pool = "python",
                                       .version = version}));
}

TEST(Registry, HoldsACandidateNextToTheStableVersion) {
  const auto registry =
      *Registry::of({tool("buy", "1"), tool("sell", "1")}, {{tool("buy", "2"), 30}});
  const auto buy = registry->find("shop", "buy");
  int second = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto key = SessionKey::make().text();
    const auto got = registry->version_for(key, buy);
    EXPECT_EQ(got->spec().version == "2", in_rollout(key, "shop.buy", 30));
    second += got->spec().version == "2";
    EXPECT_EQ(registry->version_for(key, registry->find("shop", "sell").get())->spec().version,
              "1");
  }
  EXPECT_GT(second, 200);
  EXPECT_LT(second, 400);
  EXPECT_EQ(registry->list().size(), 2U);
  EXPECT_FALSE(Registry::of({tool("buy", "1")}, {{tool("sell", "2"), 30}}));
  EXPECT_FALSE(Registry::of({tool("buy", "1")}, {{tool("buy", "2"), 30}, {tool("buy", "3"), 30}}));
}

}  // namespace
}  // namespace toolway::tools::model
