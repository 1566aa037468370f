#include "tools/messages/foreign_content.h"

#include <gtest/gtest.h>

#include "tools/messages/import.h"

namespace toolway::tools::messages {
namespace {

using exports::Format;

/// What is wrong with a document, or "right".
std::string wrong_with(std::string_view document, Format format) {
  const auto read = import_conversation(document, format, Mended::kRefuse, "p");
  constexpr std::string_view kBegin = "this is not a valid conversation: ";
  return read ? "right" : read.error().message.substr(kBegin.size());
}

TEST(ForeignContent, WhatWouldBeLostIsRefused) {
  const auto chat = [](std::string_view message) {
    return wrong_with(R"({"messages":[)" + std::string(message) + "]}", Format::kOpenAi);
  };
  EXPECT_EQ(chat(R"({"role":"user","content":5})"),
            "/messages/0/content: expected text or a list of parts, found number");
  EXPECT_EQ(chat(R"({"role":"user"})"), "/messages/0/content: it is missing");
  EXPECT_EQ(chat(R"({"role":"user","content":null})"),
            "/messages/0/content: expected text or a list of parts, found null");
  EXPECT_EQ(chat(R"({"role":"system","content":{"text":"x"}})"),
            "/messages/0/content: expected text or a list of parts, found object");
  EXPECT_EQ(chat(R"({"role":"user","content":["hi",{"type":"text","text":5},{"type":"text"}]})"),
            "/messages/0/content/0: expected a part, which is an object, found string; "
            "/messages/0/content/1/text: expected text, found number; "
            "/messages/0/content/2/text: it is missing");
  EXPECT_EQ(chat(R"({"role":"assistant","content":true})"),
            "/messages/0/content: expected text or a list of parts, found boolean");
  for (const auto* right : {R"({"role":"assistant","content":null})", R"({"role":"assistant"})",
                            R"({"role":"user","content":""})", R"({"role":"user","content":[]})"})
    EXPECT_EQ(chat(right), "right") << right;
  const auto result = [&](std::string_view content) {
    return chat(R"({"role":"assistant","tool_calls":[{"id":"a","type":"function","function":)"
                R"({"name":"t","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a")" +
                std::string(content) + "}");
  };
  EXPECT_EQ(result(R"(,"content":"r")"), "right");
  EXPECT_EQ(result(""), "/messages/1/content: it is missing");
  const auto item = [](std::string_view one) {
    return wrong_with("[" + std::string(one) + "]", Format::kOpenAiResponses);
  };
  EXPECT_EQ(item(R"({"role":"developer","content":5})"),
            "/0/content: expected text or a list of parts, found number");
  EXPECT_EQ(item(R"({"role":"assistant","content":5})"),
            "/0/content: expected text or a list of parts, found number");
  EXPECT_EQ(item(R"({"role":"user","content":[{"type":"input_text","text":null}]})"),
            "/0/content/0/text: expected text, found null");
  EXPECT_EQ(wrong_with(R"({"instructions":5,"input":[]})", Format::kOpenAiResponses),
            "/instructions: expected text or a list of parts, found number");
  EXPECT_EQ(wrong_with(R"({"system":5,"messages":[{"role":"assistant","content":7}]})",
                       Format::kAnthropic),
            "/system: expected text or a list of parts, found number; "
            "/messages/0/content: expected text or a list of parts, found number");
  EXPECT_EQ(wrong_with(R"([{"role":"assistant","content":[
      {"type":"tool_use","id":"u","name":"t","input":{}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"u"}]}])",
                       Format::kAnthropic),
            "right");
}

}  // namespace
}  // namespace toolway::tools::messages
