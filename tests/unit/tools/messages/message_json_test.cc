#include "tools/messages/message_json.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "tests/unit/tools/messages/blocks.h"
#include "tests/unit/tools/messages/messages.h"
#include "tools/messages/blocks.h"

namespace toolway::tools::messages {
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

TEST(MessageJson, KeepsWhyAReplyEnded) {
  for (const auto* name : {"stop", "calls", "length", "refusal", "filtered", "paused", "stopped"}) {
    auto message = test::says("Once upon");
    message.finish = parse_finish(name).value();
    EXPECT_EQ(message_json(message)["finish"], name);
    EXPECT_EQ(again(message).finish, message.finish) << name;
  }
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

TEST(MessageJson, AListKeepsTheOrderOfWhatProvidersMade) {
  Message message{.role = Role::kAssistant};
  message.parts.push_back(test::opaque(
      "anthropic", *parse_ordered_json(R"({"type":"thinking","a":1e5,"B":{"z":1,"y":2}})")));
  std::string deep(900, '[');
  deep += std::string(900, ']');
  message.parts.push_back({.native = Native{"p", {{"deep", *parse_ordered_json(deep, 1000)}}}});
  // As the arguments of a call travel.
  const auto list = *parse_json(to_text(messages_json(std::vector{message, test::user("hi")})));
  Mistakes mistakes;
  const auto read = read_messages(list, mistakes, "/messages");
  ASSERT_EQ(mistakes.count(), 0U);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(to_text(message_json(read.front())), to_text(message_json(message)));
  // As an earlier version sends them.
  EXPECT_EQ(read_messages({{{"role", "user"}, {"text", "x"}}}, mistakes, "").front().text, "x");
  Json wrong = list;
  wrong[1] = "no message";
  read_messages(wrong, mistakes, "/messages");
  ASSERT_EQ(mistakes.count(), 1U);
  EXPECT_TRUE(std::move(mistakes).take().front().text().starts_with("/messages/1: "));
  Mistakes more;
  wrong[0]["parts"][0]["native"]["json"] = "{";
  read_messages(wrong, more, "/messages");
  ASSERT_EQ(more.count(), 1U);
  EXPECT_TRUE(std::move(more).take().front().text().starts_with("/messages/0: "));
}

Message with_blocks() {
  return test::results(
      {test::returned("a", {test::text_block("Here:"), test::image_block(test::png(2, 3)),
                            test::text_document("one\ntwo"), test::pdf_block(test::pdf(2))}),
       {.call_id = "b", .text = "text"}});
}

TEST(MessageJson, KeepsBlocksByteForByte) {
  const auto text = to_text(message_json(with_blocks()));
  const auto read = again(with_blocks());
  EXPECT_EQ(to_text(message_json(read)), text);
  const auto& blocks = read.results.front().blocks;
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks[0].width, 2U);
  EXPECT_EQ(blocks[0].height, 3U);
  EXPECT_EQ(document_text(BlockText(read.results.front()), blocks[1]), "one\ntwo");
  EXPECT_EQ(blocks[2].pages, 2U);
  EXPECT_EQ(
      to_text(message_json(test::results(
          {test::returned("a", {test::text_block("Hi"), test::image_block(test::png(2, 3))})}))),
      R"({"role":"results","results":[{"call_id":"a","text":"Hi\n[image image/png, 29 bytes]",)"
      R"("blocks":[{"type":"image","media_type":"image/png","data":")" +
          base64(test::png(2, 3)) + R"(","at":3,"line":27}]}]})");
}

TEST(MessageJson, KeepsWhatTheUserShows) {
  const auto message = test::shows({test::text_block("Look:"), test::image_block(test::png(2, 3))});
  const auto text = to_text(message_json(message));
  EXPECT_TRUE(
      text.starts_with(R"({"role":"user","text":"Look:\n[image image/png, 29 bytes]","blocks":[{)"))
      << text;
  EXPECT_EQ(to_text(message_json(again(message))), text);
  for (const auto& [role, wrong] : {std::pair("system", 1U), {"injected", 0U}}) {
    auto json = message_json(message);
    json["role"] = role;
    Mistakes mistakes;
    EXPECT_EQ(read_message(json, mistakes, "").blocks.size(), 1U - wrong) << role;
    EXPECT_EQ(mistakes.count(), wrong) << role;
  }
  auto json = message_json(message);
  json["blocks"][0]["at"] = 0;
  Mistakes mistakes;
  read_message(json, mistakes, "");
  EXPECT_EQ(mistakes.count(), 1U);
}

TEST(MessageJson, WithoutBlocksIsAsItWas) {
  EXPECT_EQ(to_text(message_json(test::user("x"))), R"({"role":"user","text":"x"})");
  EXPECT_EQ(to_text(message_json(test::results({{.call_id = "a", .text = "x", .is_error = true}}))),
            R"({"role":"results","results":[{"call_id":"a","text":"x","is_error":true}]})");
}

TEST(MessageJson, RefusesBlocksThatAreNone) {
  const auto json = message_json(with_blocks());
  const auto mistakes_of = [&](std::size_t block, auto change) {
    auto changed = json;
    change(changed["results"][0]["blocks"][block]);
    Mistakes mistakes;
    read_message(changed, mistakes, "");
    return mistakes.count();
  };
  EXPECT_EQ(mistakes_of(0, [](OrderedJson&) {}), 0U);
  for (const auto* name : {"type", "media_type", "at", "line"})
    for (const std::size_t block : {0U, 1U, 2U})
      EXPECT_GT(mistakes_of(block, [&](OrderedJson& one) { one.erase(name); }), 0U)
          << name << block;
  for (const auto& [name, value] : {std::pair<const char*, OrderedJson>{"type", "document"},
                                    {"type", "video"},
                                    {"media_type", "image/gif"},
                                    {"media_type", "application/pdf"},
                                    {"data", "%"},
                                    {"data", base64("GIF89a")},
                                    {"data", " " + base64(test::png(2, 3))},
                                    {"at", 1'000'000},
                                    {"at", -1},
                                    {"line", 0},
                                    {"name", "images have none"},
                                    {"label", 3},
                                    {"more", 1}})
    EXPECT_GT(mistakes_of(0, [&](OrderedJson& one) { one[name] = value; }), 0U)
        << name << to_text(value);
  EXPECT_GT(mistakes_of(1, [](OrderedJson& one) { one["media_type"] = "image/png"; }), 0U);
  EXPECT_GT(mistakes_of(1, [](OrderedJson& one) { one["type"] = "image"; }), 0U);
  EXPECT_GT(mistakes_of(1, [](OrderedJson& one) { one["label"] = 9'999; }), 0U);
}

TEST(ToldProgress, IsTheNewestOfEachCall) {
  const std::vector<Message> messages{
      {.role = Role::kInjected, .progress = {{"A", "1"}, {"B", "2"}}},
      {.role = Role::kUser, .text = "and?"},
      {.role = Role::kInjected, .progress = {{"A", "3"}}}};
  EXPECT_EQ(told_progress(messages), (std::vector<ToldProgress>{{"A", "3"}, {"B", "2"}}));
}

}  // namespace
}  // namespace toolway::tools::messages
