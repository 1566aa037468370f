#include "chat/providers/script.h"

#include <gtest/gtest.h>

#include "tests/unit/chat/messages.h"

namespace toolway::chat::providers {
namespace {

TEST(Script, SaysEachMistakeWithItsLine) {
  const auto script = read_script(R"(turns:
  - replies:
      - txt: hello
        calls:
          - {arguments: {}}
        finish: never
  - when: 1
    replies: []
)",
                                  "s.yaml");
  std::string all;
  for (const auto& mistake : script.mistakes) all += mistake.text() + "\n";
  EXPECT_EQ(script.mistakes.size(), 5u) << all;
  EXPECT_NE(all.find("s.yaml:3: unknown field `txt`; did you mean `text`?"), std::string::npos)
      << all;
  EXPECT_NE(all.find("s.yaml:5: a call has no `tool`"), std::string::npos) << all;
  for (const auto* text : {"", "[]", "turns: 1", "turns: [1]", "turns: [{replies: [1]}]", "{"})
    EXPECT_FALSE(read_script(text, "s").mistakes.empty()) << text;
}

TEST(Script, FollowsTheConversationAlone) {
  const auto script = read_script(
      "turns: [{when: Files, replies: [{calls: [{tool: default.x}]}, {text: b}]}, {replies: [{text: c}]}]",
      "s");
  const auto hello = test::user("hello");
  const auto files = test::user("what FILES?");
  const auto reply = test::says("r");
  EXPECT_EQ(next_reply(script, {}), nullptr);
  EXPECT_EQ(next_reply(script, {&files})->calls[0].tool, "x");
  EXPECT_EQ(next_reply(script, {&hello, &reply, &files, &reply})->text, "b");
  EXPECT_EQ(next_reply(script, {&files, &reply, &reply}), nullptr);
  EXPECT_EQ(next_reply(script, {&files, &reply, &reply, &hello})->text, "c");
}

TEST(Script, FillsInWhatResultsSay) {
  std::string list;
  for (int i = 0; i < 12; ++i) list += std::to_string(i) + ",";
  list.pop_back();
  const auto results =
      test::results({{"a", "plain"}, {"b", "{\"n\":[" + list + "],\"o\":{\"x\":\"y\"}}"}});
  const auto filled_by = [&](const std::string& text) { return filled(text, {&results}); };
  EXPECT_EQ(filled_by("{{result/n/1}} {{result/o/x}} {{result/o}} {{result/n/99}} {{result"),
            "1 y {\"x\":\"y\"} ? {{result");
  EXPECT_EQ(filled_by("{{result/n/*}}"), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …");
  EXPECT_EQ(filled("{{result}}", {}), "?");
  EXPECT_TRUE(filled_by("{{result}}").starts_with("plain, {"));
}

}  // namespace
}  // namespace toolway::chat::providers
