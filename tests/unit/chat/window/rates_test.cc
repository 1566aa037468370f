#include "chat/window/rates.h"

#include <gtest/gtest.h>

namespace toolway::chat::window {
namespace {

ByKind of(Kind kind, double tokens) {
  ByKind made{};
  made[static_cast<std::size_t>(kind)] = tokens;
  return made;
}

TEST(Rates, BeginAtOne) { EXPECT_EQ(Rates().tokens(of(Kind::kWord, 70)), 70); }

TEST(Rates, LearnOneKindAndLeaveTheOthers) {
  Rates rates;
  rates.learn(of(Kind::kThai, 1000), 3000, 50);
  EXPECT_NEAR(rates.tokens(of(Kind::kThai, 100)), 300, 5);
  EXPECT_EQ(rates.tokens(of(Kind::kWord, 100)), 100);
}

TEST(Rates, TellKindsApartThatComeTogether) {
  Rates rates;
  auto both = of(Kind::kThai, 1000);
  both[static_cast<std::size_t>(Kind::kWord)] = 1000;
  for (int i = 0; i < 3; ++i) {
    rates.learn(both, 4000, 20);
    rates.learn(of(Kind::kWord, 1000), 1000, 20);
  }
  EXPECT_NEAR(rates.tokens(of(Kind::kThai, 100)), 300, 15);
  EXPECT_NEAR(rates.tokens(of(Kind::kWord, 100)), 100, 5);
}

TEST(Rates, LearnFromWhatIsLeftOut) {
  Rates rates;
  rates.learn(of(Kind::kHan, -1000), -500, 20);
  EXPECT_NEAR(rates.tokens(of(Kind::kHan, 100)), 50, 5);
}

TEST(Rates, FollowATextThatChanges) {
  Rates rates;
  for (int i = 0; i < 50; ++i) rates.learn(of(Kind::kWord, 1000), 1000, 50);
  for (int i = 0; i < 6; ++i) rates.learn(of(Kind::kWord, 1000), 2000, 50);
  EXPECT_NEAR(rates.tokens(of(Kind::kWord, 100)), 200, 20);
}

TEST(Rates, StayWithinWhatAnyServerCounts) {
  Rates rates;
  rates.learn(of(Kind::kThai, 1), 1e9, 1);
  EXPECT_LE(rates.tokens(of(Kind::kThai, 1)), 8);
  rates.learn(of(Kind::kThai, 1000), -1e9, 1);
  EXPECT_GE(rates.tokens(of(Kind::kThai, 1)), 0.1);
}

}  // namespace
}  // namespace toolway::chat::window
