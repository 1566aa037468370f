#include "gateway/answers/held_answer.h"

#include <gtest/gtest.h>

#include "monitoring/metric_names.h"

namespace toolway::gateway::answers {
namespace {

class HeldAnswer : public testing::Test {
 protected:
  static wire::Response answer(std::size_t bytes) {
    return wire::Response{.body = std::string(bytes, 'x')};
  }
  /// Has others hold all that answers may.
  void fill() {
    others_ = {memory_, wire::MemoryUse::kRequest};
    others_.resize(memory_.most());
  }

  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("test");
  wire::MemoryBudget memory_{4 * kAlwaysSent, metrics_->gauge(monitoring::kMemoryHeld)};
  wire::MemoryBudget::Share others_;
};

TEST_F(HeldAnswer, AShortOneIsNotCounted) {
  fill();
  auto response = answer(kNotCounted);
  EXPECT_TRUE(hold_answer(memory_, response, Sent::kIfThereIsRoom));
  EXPECT_EQ(memory_.held(), memory_.most());
}

TEST_F(HeldAnswer, IsCountedUntilItIsGone) {
  {
    auto response = answer(kNotCounted + 1);
    EXPECT_TRUE(hold_answer(memory_, response, Sent::kIfThereIsRoom));
    EXPECT_EQ(memory_.held(), response.body.capacity());
  }
  EXPECT_EQ(memory_.held(), 0U);
}

TEST_F(HeldAnswer, ThatReportsWhatWasDoneNeedsRoomOnlyWhenItIsLong) {
  fill();
  auto read = answer(kNotCounted + 1);
  EXPECT_FALSE(hold_answer(memory_, read, Sent::kIfThereIsRoom));
  auto done = answer(kAlwaysSent);
  EXPECT_TRUE(hold_answer(memory_, done, Sent::kAlways));
  EXPECT_EQ(memory_.held(), memory_.most() + done.body.capacity());
  auto long_one = answer(kAlwaysSent + 1);
  EXPECT_FALSE(hold_answer(memory_, long_one, Sent::kAlways));
  EXPECT_EQ(long_one.memory.bytes(), 0U);
}

TEST_F(HeldAnswer, ThatHasRoomIsSentAndCountedAsLongAsItIs) {
  auto response = answer(2 * kAlwaysSent);
  auto room = room_for(memory_, kAlwaysSent + 1);
  ASSERT_TRUE(room);
  response.memory = std::move(*room);
  fill();
  EXPECT_TRUE(hold_answer(memory_, response, Sent::kAlways));
  EXPECT_EQ(response.memory.bytes(), response.body.capacity());
}

TEST_F(HeldAnswer, ThatHasAPlaceIsSentAndCountedWhateverElseIsHeld) {
  fill();
  auto response = answer(2 * kAlwaysSent);
  response.place = std::make_shared<char>();
  EXPECT_TRUE(hold_answer(memory_, response, Sent::kIfThereIsRoom));
  EXPECT_EQ(memory_.held(), memory_.most() + response.body.capacity());
}

TEST_F(HeldAnswer, RoomIsTakenForLongTextsOnly) {
  EXPECT_EQ(room_for(memory_, kAlwaysSent)->bytes(), 0U);
  fill();
  EXPECT_TRUE(room_for(memory_, kAlwaysSent));
  const auto refused = room_for(memory_, kAlwaysSent + 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error.code, ErrorCode::kOverloaded);
}

}  // namespace
}  // namespace toolway::gateway::answers
