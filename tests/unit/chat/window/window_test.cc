#include "chat/window/window.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "chat/window/estimate.h"
#include "tests/unit/chat/messages.h"
#include "tests/unit/chat/strict_check.h"

namespace toolway::chat::window {
namespace {

using history::Message;
using history::Role;
using test::calls;
using test::results;
using test::says;
using test::user;

/// The first characters of the messages that are sent: `sua…`.
std::string sent(const Window& window) {
  std::string text;
  for (const auto* message : window.messages) text += history::role_name(message->role)[0];
  return text;
}

/// One token a byte, so that bounds are sizes.
Estimate exact() {
  Estimate estimate;
  estimate.learn(1000, 1000);
  return estimate;
}

std::size_t bytes_of(const std::vector<Message>& messages, std::size_t from) {
  std::size_t bytes = 0;
  for (auto i = from; i < messages.size(); ++i) bytes += sent_bytes(messages[i]);
  return bytes;
}

std::vector<Message> two_rounds() {
  return {text_message(Role::kSystem, "sys"),
          user("one"),
          says("1"),
          user("two"),
          calls({{"a", "t", "{}"}}),
          results({{"a", "r"}}),
          calls({{"b", "t", "{}"}}),
          results({{"b", "r"}})};
}

TEST(Window, SendsEverythingThatFits) {
  const auto messages = two_rounds();
  const auto window = choose(messages, {.tokens = bytes_of(messages, 0)}, exact());
  EXPECT_EQ(sent(window), "suauarar");
  EXPECT_TRUE(window.fits);
  EXPECT_EQ(window.dropped, 0u);
  EXPECT_EQ(window.bytes, bytes_of(messages, 0));
}

TEST(Window, DropsWholeRoundsOldestFirst) {
  const auto messages = two_rounds();
  const auto window = choose(messages, {.tokens = bytes_of(messages, 0) - 1}, exact());
  EXPECT_EQ(sent(window), "suarar");
  EXPECT_EQ(window.dropped, 2u);
}

TEST(Window, DropsPairsWithinTheLastRound) {
  const auto messages = two_rounds();
  const auto least = sent_bytes(messages[0]) + sent_bytes(messages[3]) + bytes_of(messages, 6);
  auto window = choose(
      messages, {.tokens = least + bytes_of(messages, 4) - bytes_of(messages, 6) - 1}, exact());
  EXPECT_EQ(sent(window), "suar");
  EXPECT_EQ(window.messages[1], &messages[3]);
  EXPECT_EQ(window.messages[2], &messages[6]);
  EXPECT_TRUE(window.fits);
  window = choose(messages, {.tokens = least - 1}, exact());
  EXPECT_EQ(sent(window), "suar");
  EXPECT_FALSE(window.fits);
}

TEST(Window, CountsWhatIsSentBesides) {
  const auto messages = two_rounds();
  const auto window =
      choose(messages, {.tokens = bytes_of(messages, 0), .fixed_bytes = 1}, exact());
  EXPECT_EQ(sent(window), "suarar");
}

TEST(Window, MaxHistoryCapsMessages) {
  const auto messages = two_rounds();
  EXPECT_EQ(sent(choose(messages, {.max_messages = 7}, exact())), "suauarar");
  EXPECT_EQ(sent(choose(messages, {.max_messages = 6}, exact())), "suarar");
  EXPECT_EQ(sent(choose(messages, {.max_messages = 4}, exact())), "suar");
}

TEST(Window, BeginsRoundsAtWhatWasInjectedAtRest) {
  auto messages = two_rounds();
  messages.push_back(text_message(Role::kInjected, "note"));
  EXPECT_FALSE(begins_round(messages, messages.size() - 1)) << "it belongs to the results";
  messages.push_back(says("done"));
  messages.push_back(text_message(Role::kInjected, "note"));
  EXPECT_TRUE(begins_round(messages, messages.size() - 1));
}

TEST(Window, AnAnswerWithoutAMessageOfTheUser) {
  const std::vector<Message> messages{says("hello"), calls({{"a", "t", "{}"}}),
                                      results({{"a", "r"}})};
  EXPECT_EQ(sent(choose(messages, {}, exact())), "aar");
  EXPECT_EQ(sent(choose(messages, {.tokens = bytes_of(messages, 1)}, exact())), "ar");
  EXPECT_EQ(sent(choose({}, {}, exact())), "");
}

TEST(Window, RandomHistoriesStayWithinTheBoundAndValid) {
  std::mt19937 random(5);
  test::StrictCheck check;
  for (int round = 0; round < 500; ++round) {
    history::History history;
    int id = 0;
    for (unsigned i = random() % 8; i < 8; ++i) {
      ASSERT_TRUE(history.append(user(std::string(1 + random() % 200, 'u'))));
      for (unsigned pairs = random() % 4; pairs > 0; --pairs) {
        const auto name = "c" + std::to_string(id++);
        ASSERT_TRUE(history.append(calls({{name, "t", "{}"}})));
        ASSERT_TRUE(history.append(results({{name, std::string(random() % 300, 'r')}})));
      }
      ASSERT_TRUE(history.append(says("done")));
    }
    ASSERT_TRUE(history.append(user("last")));
    const Bounds bounds{.tokens = random() % 4000, .max_messages = random() % 12};
    const auto window = choose(history.messages(), bounds, exact());
    std::size_t bytes = 0;
    for (const auto* message : window.messages) bytes += sent_bytes(*message);
    EXPECT_EQ(bytes, window.bytes);
    EXPECT_EQ(window.messages.size() + window.dropped, history.messages().size());
    EXPECT_EQ(window.messages.back(), &history.messages().back());
    if (window.fits) {
      EXPECT_LE(bytes, bounds.tokens);
    }
    for (const auto format : {test::Format::kOpenAi, test::Format::kAnthropic})
      check.add(format, to_text(request_messages(window.messages, *history::api_of(format), "")));
  }
  EXPECT_EQ(check.verdict(), check.expected());
}

TEST(Window, ReadsNoFurtherThanItSends) {
  std::vector<Message> messages;
  for (int i = 0; i < 10'000; ++i)
    messages.push_back(i % 2 == 0 ? user(std::string(1000, 'u')) : says(std::string(1000, 'a')));
  messages.push_back(user("last"));
  const auto begin = std::chrono::steady_clock::now();
  const auto window = choose(messages, {.tokens = 20'000}, Estimate());
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(window.messages.size() % 2, 1u);
  EXPECT_GT(window.messages.size(), 20u);
  EXPECT_LT(took, std::chrono::milliseconds(5));
}

TEST(Estimate, LearnsFromWhatWasCounted) {
  Estimate estimate;
  EXPECT_EQ(estimate.tokens(1000), 400u);
  estimate.learn(2000, 500);
  EXPECT_EQ(estimate.tokens(1000), 250u);
  estimate.learn(2000, 0);
  estimate.learn(0, 500);
  EXPECT_EQ(estimate.tokens(1000), 250u);
  estimate.learn(1, 1'000'000);
  EXPECT_EQ(estimate.tokens(1000), 1500u) << "no text has that many";
}

}  // namespace
}  // namespace toolway::chat::window
