#include "chat/turns/turn_wish.h"

#include <gtest/gtest.h>

namespace toolway::chat::turns {
namespace {

TEST(TurnWish, SaysWhichTurnsHaveAConversation) {
  EXPECT_FALSE(turn_wish(R"({"step": "send", "content": "hi"})").alone);
  EXPECT_FALSE(turn_wish(R"({"step": "new"})").alone);
  EXPECT_FALSE(turn_wish(R"({"step": "import", "messages": []})").alone);
  EXPECT_TRUE(turn_wish(R"({"step": "send", "messages": [{"role": "user"}]})").alone);
}

TEST(TurnWish, SaysWhatTheMessageWantsOfABusyConversation) {
  EXPECT_EQ(turn_wish(R"({"step": "send", "on_busy": "refuse"})").on_busy, "refuse");
  EXPECT_EQ(turn_wish(R"({"step": "send"})").on_busy, "");
  EXPECT_EQ(turn_wish(R"({"step": "send", "on_busy": 3})").on_busy, "");
}

TEST(TurnWish, WhatCannotBeReadWaitsForNothing) {
  for (const char* odd : {"", "[[[", "[]", "3"}) EXPECT_TRUE(turn_wish(odd).alone) << odd;
}

}  // namespace
}  // namespace toolway::chat::turns
