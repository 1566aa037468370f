#include "gateway/loop/async_store.h"

#include <gtest/gtest.h>

namespace toolway::gateway::loop {
namespace {

using std::chrono::milliseconds;
constexpr MonotonicTime kBegun{std::chrono::seconds(1000)};

bool gives_up(milliseconds waited, std::optional<milliseconds> heard_after,
              milliseconds for_its_turn = milliseconds(0)) {
  const auto heard = heard_after ? std::optional(kBegun + *heard_after) : std::nullopt;
  const auto why = give_up_read(kBegun - for_its_turn, kBegun, heard, kBegun + waited);
  EXPECT_EQ(why ? why->code : ErrorCode::kStoreUnavailable, ErrorCode::kStoreUnavailable);
  return why.has_value();
}

TEST(StoreReads, OfASilentStoreAreGivenUpInTimeForAnAnswerWithinThreeSeconds) {
  EXPECT_FALSE(gives_up(milliseconds(1999), std::nullopt));
  EXPECT_TRUE(gives_up(milliseconds(2000), std::nullopt));
  // What was answered before they began says nothing about now.
  EXPECT_TRUE(gives_up(milliseconds(2000), milliseconds(-100)));
}

TEST(StoreReads, OfASilentStoreDoNotWaitAgainInTheirTurn) {
  EXPECT_TRUE(gives_up(milliseconds(0), std::nullopt, milliseconds(2000)));
  EXPECT_TRUE(gives_up(milliseconds(500), milliseconds(-1600), milliseconds(1500)));
  // What it answered in between does not count as unanswered.
  EXPECT_FALSE(gives_up(milliseconds(500), milliseconds(-1000), milliseconds(4000)));
  EXPECT_FALSE(gives_up(milliseconds(5999), milliseconds(5000), milliseconds(4000)));
}

TEST(StoreReads, OfAStoreThatAnswersOthersMayTakeAsLongAsThatAllows) {
  EXPECT_FALSE(gives_up(milliseconds(5000), milliseconds(3500)));
  EXPECT_TRUE(gives_up(milliseconds(5500), milliseconds(3500)));
  EXPECT_TRUE(gives_up(milliseconds(6000), milliseconds(5900)));
}

}  // namespace
}  // namespace toolway::gateway::loop
