#include "tools/messages/import.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/tools/messages/strict_check.h"
#include "tools/messages/export.h"

namespace toolway::tools::messages {
namespace {

using exports::Format;

constexpr std::string_view kOfAnthropic =
    R"([{"role":"user","content":"hi"},
        {"role":"assistant","content":[
          {"type":"thinking","thinking":"hm","signature":"c2ln"},
          {"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"q":1e5}},
          {"type":"text","text":"Hello."}]}])";

std::string exported(const History& history, Format format) {
  return *export_conversation(history, format, exports::format_name(format));
}

TEST(Import, WhatAProviderMadeGoesBackToItsFormatAlone) {
  const auto read =
      import_conversation(kOfAnthropic, Format::kAnthropic, Mended::kRefuse, "anthropic");
  ASSERT_TRUE(read) << read.error().message;
  test::StrictCheck check;
  check.add(read->history);
  EXPECT_EQ(check.verdict(), check.expected());
  const auto theirs = exported(read->history, Format::kAnthropic);
  for (const auto* kept : {R"("signature":"c2ln")", "server_tool_use"})
    EXPECT_NE(theirs.find(kept), std::string::npos) << theirs;
  for (const auto format : {Format::kOpenAi, Format::kOpenAiResponses})
    for (const auto* left_out : {"thinking", "signature", "web_search"})
      EXPECT_EQ(exported(read->history, format).find(left_out), std::string::npos) << left_out;
}

TEST(Import, FormsOfAProviderOfAnotherApiAreNotExported) {
  const auto read = import_conversation(
      R"([{"role":"user","content":"hi"},
          {"type":"reasoning","id":"rs_1","encrypted_content":"x"},
          {"type":"function_call","id":"fc_1","call_id":"a","name":"t","arguments":"{}","status":"completed"},
          {"type":"function_call_output","call_id":"a","output":"r"}])",
      Format::kOpenAiResponses, Mended::kRefuse, "openai-responses:http://127.0.0.1:1");
  ASSERT_TRUE(read) << read.error().message;
  test::StrictCheck check;
  // As `toolway talk` exports: with the provider that it talks to, whatever the format.
  for (const auto format : test::kFormats)
    for (const auto* provider : {"openai-responses:http://127.0.0.1:1", "openai", ""}) {
      const auto text = *export_conversation(read->history, format, provider);
      check.add(format, text);
      const bool kept = format == Format::kToolway || (format == Format::kOpenAiResponses &&
                                                       std::string_view(provider).size() > 6);
      EXPECT_EQ(text.find("fc_1") != std::string::npos, kept) << text;
    }
  EXPECT_EQ(check.verdict(), check.expected());
}

TEST(Import, ABlockOfAnotherApiIsNotAMemberOfAMessage) {
  const auto read = import_conversation(
      R"({"format":"toolway","version":1,"messages":[{"role":"assistant","parts":[{"text":"hi"},
          {"native":{"provider":"openai","value":{"type":"thinking","thinking":"hm","id":"x"}}}]}]})",
      Format::kToolway, Mended::kRefuse, "toolway");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(exported(read->history, Format::kOpenAi),
            R"({"messages":[{"role":"assistant","content":"hi"}]})");
}

TEST(Import, MembersThatNoMessageOfChatCompletionsHasAreRefusedByTheChecker) {
  test::StrictCheck check;
  check.add(Format::kOpenAi,
            R"({"messages":[{"role":"assistant","content":"x","thinking":"hm"}]})");
  EXPECT_NE(check.verdict().find("members ['thinking']"), std::string::npos);
}

TEST(Import, ToolwayIsTheSameByteForByte) {
  const auto read =
      import_conversation(kOfAnthropic, Format::kAnthropic, Mended::kRefuse, "anthropic");
  ASSERT_TRUE(read) << read.error().message;
  const auto text = exported(read->history, Format::kToolway);
  const auto again = import_conversation(text, Format::kToolway, Mended::kRefuse, "toolway");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(exported(again->history, Format::kToolway), text);
}

TEST(Import, RefusesIdsOfCallsThatAreNone) {
  const auto error = [](const std::string& messages) {
    const auto read =
        import_conversation(R"({"format":"toolway","version":1,"messages":[)" + messages + "]}",
                            Format::kToolway, Mended::kRepair, "toolway");
    return read ? std::string() : read.error().message;
  };
  const auto of_result = [&](std::string_view id) {
    return error(fmt::format(
        R"({{"role":"assistant","parts":[{{"call":{{"id":"a","tool":"t","arguments":"{{}}"}}}}]}},
           {{"role":"results","results":[{{"call_id":"a","text":"x","ran_as":"{}"}}]}})",
        id));
  };
  EXPECT_EQ(of_result("01987654-3210-7abc-8def-0123456789ab"), "");
  EXPECT_EQ(of_result(""), "");
  for (const auto* id : {"x", "01987654-3210-7ABC-8DEF-0123456789AB", "\\u0000"})
    EXPECT_NE(of_result(id).find("/messages/1/results/0/ran_as: expected the id of a call"),
              std::string::npos)
        << id;
  EXPECT_NE(error(R"({"role":"injected","text":"x","about":["x"]})").find("/messages/0/about/0: "),
            std::string::npos);
  const auto progress =
      error(R"({"role":"injected","text":"x","progress":[{"ran_as":"x","event":"\u0000"}]})");
  EXPECT_NE(progress.find("/messages/0/progress/0/ran_as: "), std::string::npos) << progress;
  EXPECT_NE(progress.find("/messages/0/progress/0/event: "), std::string::npos) << progress;
}

TEST(Import, RefusesOrRepairsOrphans) {
  const auto orphans = R"({"messages":[{"role":"user","content":"go"},
    {"role":"tool","tool_call_id":"x","content":"from nowhere"},
    {"role":"assistant","content":null,"tool_calls":[
      {"id":"a","type":"function","function":{"name":"t","arguments":"{}"}},
      {"id":"a","type":"function","function":{"name":"t","arguments":{"n":1}}}]},
    {"role":"tool","tool_call_id":"a","content":"1"}]})";
  const auto refused = import_conversation(orphans, Format::kOpenAi, Mended::kRefuse, "openai");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "this is not a valid conversation: message 2: the result of x belongs to no call "
            "before it; message 3: the id of call a is used before, or not one that every API "
            "takes; message 3: the call a has no result");
  EXPECT_TRUE(import_conversation(orphans, Format::kOpenAi, Mended::kOffer, "openai")
                  .error()
                  .message.ends_with(" (repair=true mends that)"));
  auto repaired = import_conversation(orphans, Format::kOpenAi, Mended::kRepair, "openai");
  ASSERT_TRUE(repaired);
  ASSERT_EQ(repaired->repairs.size(), 3u);
  EXPECT_EQ(repaired->repairs[0],
            "message 2: the result of x belongs to no call before it; it was dropped");
  EXPECT_EQ(calls_of(repaired->history.messages()[1])[1].arguments, R"({"n":1})");
  test::StrictCheck check;
  check.add(repaired->history);
  EXPECT_EQ(check.verdict(), check.expected());
}

TEST(Import, AContentThatIsLeftOutIsReported) {
  const auto read = import_conversation(R"([{"role":"user","content":5},
      {"role":"assistant","content":null,"tool_calls":[
        {"type":"function","function":{"name":"t","arguments":"{}"}}]}])",
                                        Format::kOpenAi, Mended::kRepair, "p");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->repairs,
            (std::vector<std::string>{
                "/0/content: expected text or a list of parts, found number; it was left out",
                "message 2: a call of t has no id; it is " +
                    calls_of(read->history.messages()[1])[0].id + " now",
                "message 2: a call without an id has no result; it was answered as unknown"}));
  test::StrictCheck check;
  check.add(read->history);
  EXPECT_EQ(check.verdict(), check.expected());
}

}  // namespace
}  // namespace toolway::tools::messages
