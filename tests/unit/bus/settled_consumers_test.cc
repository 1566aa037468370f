#include "bus/settled_consumers.h"

#include <gtest/gtest.h>

namespace toolway::bus {
namespace {

constexpr StreamState kStream{.incarnation = 7, .last_sequence = 100};
constexpr ConsumerState kSettled{.ack_floor = 100, .delivered = 100};

class SettledConsumersTest : public testing::Test {
 protected:
  void SetUp() override {
    settled_.look(kStream);
    settled_.answered("a", kSettled);
  }
  bool knows(std::string_view durable) const { return settled_.find(durable).has_value(); }

  SettledConsumers settled_;
};

TEST_F(SettledConsumersTest, StayAsTheyAreUntilTheStreamStoresAMessage) {
  settled_.look(kStream);
  ASSERT_TRUE(knows("a"));
  EXPECT_EQ(settled_.find("a")->ack_floor, 100U);
  EXPECT_FALSE(knows("b"));
  settled_.look({.incarnation = 7, .last_sequence = 101});
  EXPECT_FALSE(knows("a"));
}

TEST_F(SettledConsumersTest, AreForgottenWithTheirStream) {
  settled_.look({.incarnation = 8, .last_sequence = 100});
  EXPECT_FALSE(knows("a"));
}

TEST_F(SettledConsumersTest, AreNotThoseThatMayMoveByThemselves) {
  settled_.answered("pending", {.pending = 1});
  settled_.answered("unacknowledged", {.ack_pending = 1});
  EXPECT_FALSE(knows("pending"));
  EXPECT_FALSE(knows("unacknowledged"));
}

TEST_F(SettledConsumersTest, AreAskedNowAndThen) {
  int looks = 0;
  for (; knows("a") && looks < 100; ++looks) settled_.look(kStream);
  EXPECT_EQ(looks, 10);
}

}  // namespace
}  // namespace toolway::bus
