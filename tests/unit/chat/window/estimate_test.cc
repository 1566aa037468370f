#include "chat/window/estimate.h"

#include <gtest/gtest.h>

#include "chat/window/window.h"
#include "tests/unit/chat/messages.h"

namespace toolway::chat::window {
namespace {

using test::says;
using test::user;
using tools::messages::Message;

constexpr std::string_view kEnglish = "The quick report that you asked for is attached. ";
constexpr std::string_view kTamil = "இன்று காலை நான் சந்தைக்குச் சென்றேன். ";

std::string times(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

/// A conversation, and a provider that counts as the test says.
struct Counted {
  std::vector<Message> messages;
  Besides besides;
  Estimate estimate;

  Window chosen(std::uint64_t tokens = 1'000'000) const {
    return choose(messages, {.tokens = tokens, .besides = besides}, estimate);
  }
  void count(std::uint64_t tokens) {
    const auto window = chosen();
    estimate.learn(window.chosen, besides, window.load, tokens);
  }
};

TEST(Estimate, BeginsWithWhatTextsMayHave) {
  Counted talk{.messages = {user(times(kEnglish, 100))}};
  const auto load = talk.chosen().load;
  EXPECT_NEAR(static_cast<double>(talk.estimate.likely(load)), 1000, 100);
  EXPECT_GT(talk.estimate.at_most(load), 2000u);
}

TEST(Estimate, KnowsWhatWasCounted) {
  Counted talk{.messages = {user(times(kEnglish, 100))}};
  talk.count(1234);
  EXPECT_EQ(talk.estimate.likely(talk.chosen().load), 1234u);
  EXPECT_NEAR(static_cast<double>(talk.estimate.at_most(talk.chosen().load)), 1234, 20);
  // What is added may have its most; the rest is known.
  talk.messages.push_back(says(times(kTamil, 10)));
  const auto added = tokens_of(talk.messages.back()).most;
  EXPECT_NEAR(static_cast<double>(talk.estimate.at_most(talk.chosen().load)), 1234 + added, 20);
}

TEST(Estimate, ANewOneRemembersWhatARequestHad) {
  Counted talk{.messages = {user(times(kEnglish, 100))}};
  talk.besides.tools = tokens_of(user(times(kEnglish, 10)));
  const auto before = talk.estimate.at_most(talk.chosen().load);
  talk.estimate.remember({.round = 0, .first = 0, .end = 1}, tokens_of(talk.messages[0]), 1234);
  const auto after = talk.estimate.at_most(talk.chosen().load);
  EXPECT_LT(after, before);
  EXPECT_NEAR(static_cast<double>(after), 1234 + talk.besides.tools.most, 20)
      << "what was sent besides is in it, and not known";
  talk.count(1300);
  EXPECT_EQ(talk.estimate.likely(talk.chosen().load), 1300u);
}

TEST(Chosen, SaysHowManyOfTheNewestItIs) {
  EXPECT_EQ((Chosen{.round = 2, .first = 3, .end = 5}.newest()), 3u);
  EXPECT_EQ((Chosen{.round = 4, .first = 2, .end = 5}.newest()), 3u);
  EXPECT_EQ((Chosen{.round = 4, .first = 5, .end = 5}.newest()), 1u);
  EXPECT_EQ((Chosen{.round = 1, .first = 3, .end = 5}.newest()), 0u) << "one is left out";
  EXPECT_EQ((Chosen{.system = 1, .round = 1, .first = 2, .end = 5}.newest()), 0u);
}

TEST(Estimate, LearnsEachKindByItself) {
  Counted talk{.messages = {user(times(kEnglish, 50))}};
  talk.count(500);
  // An older model, which has four tokens for what a newer one has one.
  for (unsigned i = 1; i <= 4; ++i) {
    talk.messages.push_back(says(times(kTamil, 10)));
    talk.count(500 + 500 * i);
  }
  talk.messages.push_back(user(times(kTamil, 40)));
  EXPECT_NEAR(static_cast<double>(talk.estimate.likely(talk.chosen().load)), 4500, 450);
  talk.count(4500);
  talk.messages.push_back(user(times(kEnglish, 100)));
  EXPECT_NEAR(static_cast<double>(talk.estimate.likely(talk.chosen().load)), 5500, 300)
      << "English is as it was";
}

TEST(Estimate, OfWhatWasLeftOutOnlyTheLeastIsCertain) {
  Counted talk{.messages = {user(times(kEnglish, 100)), says("ok"), user(times(kEnglish, 100))}};
  talk.count(2000);
  const auto window = talk.chosen(1500);
  EXPECT_EQ(window.dropped, 2u);
  const auto least = tokens_of(talk.messages[0]).least + tokens_of(talk.messages[1]).least;
  EXPECT_NEAR(static_cast<double>(talk.estimate.at_most(window.load)), 2000 - least, 20);
  EXPECT_NEAR(static_cast<double>(talk.estimate.likely(window.load)), 1000, 100);
}

TEST(Estimate, WhatIsSentBesidesIsKnownOnceItIsCounted) {
  Counted talk{.messages = {user("hello")}};
  talk.besides.tools = tokens_of(times(kTamil, 50));
  talk.count(700);
  EXPECT_NEAR(static_cast<double>(talk.estimate.at_most(talk.chosen().load)), 700, 20);
  talk.besides.continuation = tokens_of(kTamil);
  EXPECT_NEAR(static_cast<double>(talk.estimate.at_most(talk.chosen().load)),
              700 + talk.besides.continuation.most, 20);
  talk.besides.tools = tokens_of(times(kTamil, 51));
  EXPECT_GT(static_cast<double>(talk.estimate.at_most(talk.chosen().load)),
            talk.besides.tools.most);
}

TEST(Estimate, IgnoresServersThatDoNotCount) {
  Counted talk{.messages = {user(times(kEnglish, 100))}};
  const auto before = talk.estimate.at_most(talk.chosen().load);
  talk.count(0);
  EXPECT_EQ(talk.estimate.at_most(talk.chosen().load), before);
  // Nor does a text have less than its least: that server leaves out what it has in a cache.
  talk.count(1);
  EXPECT_GE(static_cast<double>(talk.estimate.at_most(talk.chosen().load)),
            talk.chosen().load.all.least);
}

TEST(Estimate, AServerThatCountsMoreThanTheMostIsBelieved) {
  Counted talk{.messages = {user(times(kEnglish, 100))}};
  const auto most = talk.chosen().load.all.most;
  talk.count(static_cast<std::uint64_t>(2 * most));
  talk.estimate.forget_request();
  EXPECT_NEAR(static_cast<double>(talk.estimate.at_most(talk.chosen().load)), 2 * most, 20);
}

TEST(Estimate, ForgetsTheRequestOfAnotherConversation) {
  Counted talk{.messages = {user(times(kEnglish, 100))}};
  talk.count(1000);
  talk.messages = {user(times(kTamil, 100))};
  talk.estimate.forget_request();
  EXPECT_NEAR(static_cast<double>(talk.estimate.at_most(talk.chosen().load)),
              talk.chosen().load.all.most, 1);
}

}  // namespace
}  // namespace toolway::chat::window
