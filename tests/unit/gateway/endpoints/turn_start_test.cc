#include "gateway/endpoints/turn_start.h"

#include <gtest/gtest.h>

namespace toolway::gateway::endpoints {
namespace {

using persistence::conversations::ConversationHead;
using persistence::conversations::kMaxWaitingTurns;

bool has_room(const ConversationHead& head, WhenBusy when_busy) {
  const auto room = check_room(head, when_busy);
  if (!room) {
    EXPECT_EQ(room.error().error.code, ErrorCode::kConversationBusy);
  }
  return room.has_value();
}

TEST(TurnStart, AMessageWaitsUnlessSixteenDo) {
  EXPECT_TRUE(has_room({.id = "c"}, WhenBusy::kWait));
  EXPECT_TRUE(has_room({.id = "c", .turn = "t"}, WhenBusy::kWait));
  EXPECT_TRUE(has_room({.id = "c", .turn = "t", .waiting = kMaxWaitingTurns - 1}, WhenBusy::kWait));
  EXPECT_FALSE(has_room({.id = "c", .turn = "t", .waiting = kMaxWaitingTurns}, WhenBusy::kWait));
}

TEST(TurnStart, AMessageThatDoesNotWaitIsRefusedOnceATurnRunsOrWaits) {
  EXPECT_TRUE(has_room({.id = "c", .head = 7}, WhenBusy::kRefuse));
  EXPECT_FALSE(has_room({.id = "c", .turn = "t"}, WhenBusy::kRefuse));
  EXPECT_FALSE(has_room({.id = "c", .waiting = 1}, WhenBusy::kRefuse));
}

}  // namespace
}  // namespace toolway::gateway::endpoints
