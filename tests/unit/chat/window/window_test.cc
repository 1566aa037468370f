#include "chat/window/window.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "chat/window/tokens.h"
#include "tests/unit/chat/messages.h"

namespace toolway::chat::window {
namespace {

using test::calls;
using test::results;
using test::says;
using test::user;
using tools::messages::Message;
using tools::messages::Role;

/// The first characters of the messages that are sent: `sua…`.
std::string sent(const Window& window) {
  std::string text;
  for (const auto* message : window.messages) text += tools::messages::role_name(message->role)[0];
  return text;
}

/// Of [from, to), at most.
std::uint64_t most_of(const std::vector<Message>& messages, std::size_t from, std::size_t to) {
  double most = 0;
  for (auto i = from; i < to; ++i) most += tokens_of(messages[i]).most;
  return static_cast<std::uint64_t>(std::ceil(most));
}
std::uint64_t most_of(const std::vector<Message>& messages) {
  return most_of(messages, 0, messages.size());
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
  const auto window = choose(messages, {.tokens = most_of(messages)}, {});
  EXPECT_EQ(sent(window), "suauarar");
  EXPECT_TRUE(window.fits);
  EXPECT_EQ(window.dropped, 0u);
  EXPECT_EQ(Estimate().at_most(window.load), most_of(messages));
}

TEST(Window, DropsWholeRoundsOldestFirst) {
  const auto messages = two_rounds();
  const auto window = choose(messages, {.tokens = most_of(messages) - 1}, {});
  EXPECT_EQ(sent(window), "suarar");
  EXPECT_EQ(window.dropped, 2u);
}

TEST(Window, DropsPairsWithinTheLastRound) {
  const auto messages = two_rounds();
  const auto least =
      most_of(messages, 0, 1) + most_of(messages, 3, 4) + most_of(messages, 6, messages.size());
  auto window = choose(messages, {.tokens = least + most_of(messages, 4, 6) - 1}, {});
  EXPECT_EQ(sent(window), "suar");
  EXPECT_EQ(window.messages[1], &messages[3]);
  EXPECT_EQ(window.messages[2], &messages[6]);
  EXPECT_TRUE(window.fits);
  window = choose(messages, {.tokens = least - 2}, {});
  EXPECT_EQ(sent(window), "suar");
  EXPECT_FALSE(window.fits);
}

TEST(Window, CountsWhatIsSentBesides) {
  const auto messages = two_rounds();
  const Tokens two = tokens_of("a b");
  for (const Besides& besides : {Besides{.system_prompt = two}, Besides{.tools = two},
                                 Besides{.summary = two}, Besides{.continuation = two}}) {
    const auto window = choose(messages, {.tokens = most_of(messages), .besides = besides}, {});
    EXPECT_EQ(sent(window), "suarar");
  }
}

TEST(Window, MaxHistoryCapsMessages) {
  const auto messages = two_rounds();
  EXPECT_EQ(sent(choose(messages, {.max_messages = 7}, {})), "suauarar");
  EXPECT_EQ(sent(choose(messages, {.max_messages = 6}, {})), "suarar");
  EXPECT_EQ(sent(choose(messages, {.max_messages = 4}, {})), "suar");
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
  EXPECT_EQ(sent(choose(messages, {}, {})), "aar");
  EXPECT_EQ(sent(choose(messages, {.tokens = most_of(messages, 1, 3)}, {})), "ar");
  EXPECT_EQ(sent(choose({}, {}, {})), "");
}

TEST(Window, RandomHistoriesStayWithinTheBoundAndValid) {
  std::mt19937 random(5);
  test::StrictCheck check;
  for (int round = 0; round < 500; ++round) {
    tools::messages::History history;
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
    const auto window = choose(history.messages(), bounds, {});
    double most = 0;
    for (const auto* message : window.messages) most += tokens_of(*message).most;
    EXPECT_NEAR(most, window.load.all.most, 0.01);
    for (const auto* message : window.messages) {
      const auto index = static_cast<std::size_t>(message - history.messages().data());
      EXPECT_TRUE(window.chosen.has(index)) << index;
    }
    EXPECT_EQ(window.messages.size() + window.dropped, history.messages().size());
    EXPECT_EQ(window.messages.back(), &history.messages().back());
    if (window.fits) {
      EXPECT_LE(most, static_cast<double>(bounds.tokens));
    }
    for (const auto format : {test::Format::kOpenAi, test::Format::kAnthropic})
      check.add(format,
                to_text(request_messages(window.messages, *tools::messages::api_of(format), "")));
  }
  EXPECT_EQ(check.verdict(), check.expected());
}

TEST(Window, ReadsNoFurtherThanItSends) {
  std::vector<Message> messages;
  for (int i = 0; i < 10'000; ++i)
    messages.push_back(i % 2 == 0 ? user(std::string(1000, 'u')) : says(std::string(1000, 'a')));
  messages.push_back(user("last"));
  Counts counts;
  const auto window = choose(messages, {.tokens = 20'000}, {}, counts);
  EXPECT_EQ(window.messages.size() % 2, 1u);
  EXPECT_GT(window.messages.size(), 20u);
  // It ends at the first round that does not fit.
  EXPECT_EQ(counts.counted(), window.messages.size() + 2);
}

}  // namespace
}  // namespace toolway::chat::window
