#include "chat/providers/quoted.h"

#include <gtest/gtest.h>

#include "tests/unit/chat/messages.h"
#include "tests/unit/chat/providers/served.h"

namespace toolway::chat::providers {
namespace {

using tools::messages::Message;

std::string told(std::string_view words, const std::vector<Message>& messages) {
  tools::messages::Selection selection;
  for (const auto& message : messages) selection.push_back(&message);
  return without_quotes(words, selection);
}

TEST(Quoted, WhatTheRequestSaysIsLeftOut) {
  const std::vector<Message> messages{
      tools::messages::text_message(tools::messages::Role::kSystem, "Mind the gap."),
      test::user("Tell me of the pomegranate secret, and\nof plums."),
      test::calls({{"a", "t", R"({"city": "Casablanca"})"}}),
      test::results({{.call_id = "a", .text = "It is 17 degrees."}}), test::says("Warm enough.")};
  EXPECT_EQ(told("Invalid prompt: \"pomegranate secret\"", messages), "Invalid prompt: \"[…]\"");
  EXPECT_EQ(told("POMEGRANATE SECRET, and of plums. (1)", messages), "[…] (1)");
  EXPECT_EQ(told("Casablanca; 17 degrees; Mind the gap; Warm enough", messages),
            "[…];[…]; […]; […]");
  EXPECT_EQ(told("max_tokens: 5 > 4", messages), "max_tokens: 5 > 4");
  EXPECT_EQ(told("plums. is short", messages), "plums. is short");
  EXPECT_EQ(told("", messages), "");
  EXPECT_EQ(told("Invalid prompt", {}), "Invalid prompt");
}

TEST(Quoted, LeavesOutWholeCharacters) {
  EXPECT_EQ(told("no: ü日本語日本x", {test::user("日本語日本")}), "no: ü[…]x");
  // The last byte of ü, and that of 日: characters that only look alike.
  EXPECT_EQ(told("\xC3\xBC"
                 "1234567",
                 {test::user("\xC4\xBC"
                             "1234567")}),
            "[…]");
}

TEST(Quoted, TakesTimeInProportionToTheMessages) {
  // Every place of the words is found at every place of the text.
  const std::string same(20UL << 20, 'a');
  EXPECT_EQ(told(std::string(300, 'a'), {test::user(same)}), "[…]");
}

TEST(Quoted, ErrorsOfProvidersSayNothingOfKeyAndConversation) {
  const std::string quote = R"(\"pomegranate secret\" with sk-secret-key)";
  const auto error =
      R"({"type":"invalid_request pomegranate secret","message":"Invalid prompt: )" + quote + "\"}";
  const auto body = R"({"error":)" + error + "}";
  const std::string answers[] = {
      test::ScriptedServer::status(400, "", body),
      test::ScriptedServer::status(404, "", body),
      test::ScriptedServer::status(413, "", body),
      test::ScriptedServer::status(500, "x-should-retry: false\r\n", body),
      test::stream_head() + "event: error\ndata: {\"type\":\"error\",\"error\":" + error + "}\n\n",
      test::stream_head() + "data: pomegranate secret sk-secret-key\n\n",
      test::ScriptedServer::status(200, "Content-Type: application/json\r\n", body),
      test::ScriptedServer::status(200, "Content-Type: application/json\r\n",
                                   "pomegranate secret sk-secret-key")};
  for (const auto api :
       {test::ModelApi::kOpenAi, test::ModelApi::kOpenAiResponses, test::ModelApi::kAnthropic})
    for (const auto& answer : answers) {
      test::ScriptedServer server([&](test::ScriptedConnection& connection, const std::string&) {
        return connection.send(answer), false;
      });
      const auto provider = test::provider_at(server, api);
      const auto [asked, text, retried] =
          test::ask(*provider, test::user_says("Tell me of the pomegranate secret."));
      ASSERT_FALSE(asked) << answer;
      for (const auto* secret : {"pomegranate", "sk-secret"})
        EXPECT_EQ(asked.error().message.find(secret), std::string::npos) << asked.error().message;
    }
}

}  // namespace
}  // namespace toolway::chat::providers
