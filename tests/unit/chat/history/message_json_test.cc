#include "chat/history/message_json.h"

#include <gtest/gtest.h>

namespace toolway::chat::history {
namespace {

/// As it is read from what is written.
Message again(const Message& message) {
  Mistakes mistakes;
  auto read = read_message(message_json(message), mistakes, "");
  EXPECT_EQ(mistakes.count(), 0U);
  return read;
}

TEST(MessageJson, KeepsWhatAnInjectedMessageTells) {
  const Message message{.role = Role::kInjected,
                        .text = "[[SYSTEM: n.t is running: 3]]",
                        .about = {"A"},
                        .progress = {{"B", "7-1"}, {"C", "8-2"}}};
  const auto read = again(message);
  EXPECT_EQ(read.about, message.about);
  EXPECT_EQ(read.progress, message.progress);
  EXPECT_FALSE(message_json({.role = Role::kInjected, .text = "x"}).contains("progress"));
}

TEST(MessageJson, RefusesProgressThatIsNone) {
  for (const char* progress :
       {"5", "[5]", R"([{"ran_as": "A"}])", R"([{"event": "7-1"}])",
        R"([{"ran_as": "A", "event": 7}])", R"([{"ran_as": "A", "event": "7-1", "more": 1}])"}) {
    Mistakes mistakes;
    OrderedJson json{{"role", "injected"}, {"text", "x"}};
    json["progress"] = *parse_ordered_json(progress, 10);
    read_message(json, mistakes, "");
    EXPECT_GT(mistakes.count(), 0U) << progress;
  }
  Mistakes mistakes;
  read_message({{"role", "user"}, {"text", "x"}, {"progress", OrderedJson::array()}}, mistakes, "");
  EXPECT_EQ(mistakes.count(), 1U) << "of injected alone";
}

TEST(ToldProgress, IsTheNewestOfEachCall) {
  const std::vector<Message> messages{
      {.role = Role::kInjected, .progress = {{"A", "1"}, {"B", "2"}}},
      {.role = Role::kUser, .text = "and?"},
      {.role = Role::kInjected, .progress = {{"A", "3"}}}};
  EXPECT_EQ(told_progress(messages), (std::vector<ToldProgress>{{"A", "3"}, {"B", "2"}}));
}

}  // namespace
}  // namespace toolway::chat::history
