#include "gateway/endpoints/shown_text.h"

#include <gtest/gtest.h>

namespace toolway::gateway::endpoints {
namespace {

TEST(ShownText, IsWhatWasSaidMessageByMessage) {
  ShownText shown;
  shown.begin_attempt(1);
  EXPECT_EQ(shown.add("I "), "I ");
  EXPECT_EQ(shown.add("look."), "look.");
  shown.end_message();
  shown.end_message();
  EXPECT_EQ(shown.add("Twelve"), "\n\nTwelve");
  EXPECT_EQ(shown.complete("Twelve."), ".");
  EXPECT_EQ(shown.all(), "I look.\n\nTwelve.");
  EXPECT_FALSE(shown.began_again());
}

// Nothing of the turn is stored: another attempt begins with its first message.
TEST(ShownText, WhatAnotherAttemptSaysAgainIsNotShownTwice) {
  ShownText shown;
  shown.begin_attempt(1);
  shown.add("I look.");
  shown.end_message();
  shown.add("One two");
  shown.begin_attempt(2);
  EXPECT_TRUE(shown.began_again());
  EXPECT_EQ(shown.add("I look."), "");
  shown.end_message();
  EXPECT_EQ(shown.add("One"), "");
  EXPECT_EQ(shown.add(" two three"), " three");
  EXPECT_EQ(shown.add(" four"), " four");
  shown.begin_attempt(3);
  EXPECT_EQ(shown.add("I lo"), "");
  EXPECT_EQ(shown.add("ok."), "");
  shown.end_message();
  EXPECT_EQ(shown.add("One two three four five"), " five");
  EXPECT_EQ(shown.complete("One two three four five"), "");
  EXPECT_EQ(shown.all(), "I look.\n\nOne two three four five");
}

TEST(ShownText, OfOneThatSaysSomethingElseThereIsNoMore) {
  ShownText shown;
  shown.begin_attempt(1);
  shown.add("One two");
  shown.begin_attempt(2);
  EXPECT_EQ(shown.add("One t"), "");
  EXPECT_FALSE(shown.add("oo"));
  EXPECT_FALSE(shown.complete("One too"));
}

// The process was killed between two messages, or in the first one.
TEST(ShownText, AnAttemptShowsWhatTheOneBeforeItCouldNotTell) {
  ShownText shown;
  shown.begin_attempt(1);
  shown.add("I lo");
  shown.begin_attempt(2);
  EXPECT_EQ(shown.add("I look."), "ok.");
  shown.end_message();
  shown.begin_attempt(3);
  EXPECT_EQ(shown.add("I look."), "");
  shown.end_message();
  EXPECT_EQ(shown.add("Twelve."), "\n\nTwelve.");
  EXPECT_EQ(shown.complete("Twelve."), "");
}

TEST(ShownText, AnotherAttemptThatMakesNoCallsAnyMoreSaysSomethingElse) {
  ShownText shown;
  shown.begin_attempt(1);
  shown.add("I look.");
  shown.end_message();
  shown.add("Twelve.");
  shown.begin_attempt(2);
  EXPECT_EQ(shown.add("I look."), "");
  EXPECT_FALSE(shown.complete("I look."));
}

// More than the log of a call holds, or what a process could not tell before its end.
TEST(ShownText, WhatWasNotToldComesAtTheEnd) {
  ShownText shown;
  shown.begin_attempt(1);
  shown.add("I look.");
  shown.end_message();
  EXPECT_EQ(shown.complete("Twelve."), "\n\nTwelve.");
  ShownText nothing;
  EXPECT_EQ(nothing.complete("All of it."), "All of it.");
}

}  // namespace
}  // namespace toolway::gateway::endpoints
