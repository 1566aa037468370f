// What servers ask while they run a call, over both kinds of links and in every revision.
#include "tests/unit/tools/executors/mcp_client/asked_context.h"
#include "tests/unit/tools/executors/mcp_client/scripted_server.h"
#include "tools/executors/mcp_client/call_questions.h"

namespace toolway::tools::executors::mcp_client {
namespace {

using Way = std::tuple<Scripted::Over, std::string>;
const Json kYes{{"action", "accept"}, {"content", {{"confirm", true}}}};
constexpr mcp::ClientCapabilities kAll{.form = true, .url = true, .sampling = true, .roots = true};

class AskingMcpLink : public testing::TestWithParam<Way> {
 protected:
  AskingMcpLink() : server({"--revision", std::get<1>(GetParam())}, std::get<0>(GetParam())) {}
  bool modern() const { return std::get<1>(GetParam()) == "2026-07-28"; }
  bool stdio() const { return std::get<0>(GetParam()) == Scripted::Over::kStdio; }

  /// As McpTool calls.
  model::ToolResult<mcp::ToolCallResult> call(const std::string& tool,
                                              const Json& arguments = Json::object(),
                                              const mcp::ClientCapabilities& askable = kAll,
                                              LinkCall::Again again = LinkCall::Again::kNever) {
    return call(context, tool, arguments, askable, again);
  }
  model::ToolResult<mcp::ToolCallResult> call(AskedContext& of, const std::string& tool,
                                              const Json& arguments,
                                              const mcp::ClientCapabilities& askable = kAll,
                                              LinkCall::Again again = LinkCall::Again::kNever) {
    CallQuestions questions("scripted", askable, of);
    auto call = server.with(tool, arguments, again);
    call.call.askable = askable;
    call.cancelled = questions.stopped();
    call.questions = &questions;
    auto result = server.link->call(std::move(call));
    if (!result && questions.too_much()) return tl::unexpected(*questions.too_much());
    return result;
  }
  /// What the tool was told, answer by answer; or how it ended.
  static Json told(const model::ToolResult<mcp::ToolCallResult>& result) {
    if (!result) return result.error().code;
    return result->structured ? result->structured->value("told", *result->structured)
                              : Json(mcp::text_of(result->content));
  }

  Scripted server;
  AskedContext context;
};

TEST_P(AskingMcpLink, ItsQuestionsAreAnsweredByTheClientOfItsCall) {
  server.connect();
  context.answer = [](const model::Question&) { return kYes; };
  EXPECT_EQ(told(call("confirms", {{"message", "Delete?"}})), Json::array({kYes}));
  auto asked = context.asked(1);
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].params.at("message"), "Delete?");
  EXPECT_FALSE(asked[0].params.contains("_meta"));
  EXPECT_EQ(told(call("confirms", {{"message", "Twice?"}, {"times", 2}})),
            Json::array({kYes, kYes}));
  asked = context.asked(3);
  ASSERT_EQ(asked.size(), 3U);
  EXPECT_NE(asked[1].key, asked[2].key);
  EXPECT_EQ(told(call("confirms", {{"method", "sampling/createMessage"}})), Json::array({kYes}));
}

TEST_P(AskingMcpLink, TheSameCallOnceMoreIsNotAskedAgain) {
  server.connect();
  context.answer = [](const model::Question&) { return kYes; };
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(told(call("confirms", {{"message", "Once?"}, {"times", 3}})),
              Json::array({kYes, kYes, kYes}));
  EXPECT_EQ(context.asked(3).size(), 3U);
  EXPECT_TRUE(server.sees("asks", 6)) << "its server asked both times";
}

TEST_P(AskingMcpLink, ItLearnsWhatMayBeAsked) {
  server.config.asks.url = false;
  server.connect();
  const Json form{{"form", Json::object()}};
  const Json shared{{"elicitation", form}, {"sampling", Json::object()}};
  EXPECT_EQ(told(call("declared", Json::object(), {.form = true})),
            modern() ? Json({{"elicitation", form}}) : shared);
  EXPECT_EQ(told(call("declared", Json::object(), {})), modern() ? Json::object() : shared);
  const Json roots{{"roots", Json::object()}};
  EXPECT_EQ(told(call("declared", Json::object(), {.roots = true})), modern() ? roots : shared);
}

TEST_P(AskingMcpLink, OneThatMayAskNothingIsToldSo) {
  server.config.asks = {};
  server.connect();
  EXPECT_EQ(told(call("declared", Json::object(), {})), Json::object());
}

TEST_P(AskingMcpLink, WhatTheClientHasNotDeclaredIsRefusedAndTheCallContinues) {
  server.connect();
  const auto refused = call("confirms", Json::object(), {.sampling = true});
  if (modern()) {
    EXPECT_EQ(told(refused), "mcp_input_required");
  } else {
    ASSERT_TRUE(refused) << refused.error().message;
    EXPECT_EQ(told(refused)[0].at("code"), -32601);
    EXPECT_EQ(told(call("confirms", {{"method", "roots/list"}}))[0].at("code"), -32601);
  }
  EXPECT_TRUE(context.asked(0).empty());
}

TEST_P(AskingMcpLink, OneThatAsksForEverIsStopped) {
  server.connect();
  context.answer = [](const model::Question&) { return kYes; };
  const auto result = call("confirms", {{"times", -1}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "mcp_input_required");
  EXPECT_NE(result.error().message.find("asks too much"), std::string::npos)
      << result.error().message;
  EXPECT_EQ(context.asked(100).size(), 100U);
  EXPECT_EQ(told(call("echo", {{"text", "still there"}})), "still there");
}

TEST_P(AskingMcpLink, OneThatAsksForeverWhatItMayNotIsStoppedToo) {
  server.connect();
  EXPECT_EQ(told(call("confirms", {{"times", -1}}, {})), "mcp_input_required");
  EXPECT_EQ(told(call("echo", {{"text", "still there"}})), "still there");
}

TEST_P(AskingMcpLink, SoIsOneThatAsksForEverWhatNoConnectionDeclares) {
  if (modern()) return;
  server.connect();
  EXPECT_EQ(told(call("confirms", {{"times", -1}, {"method", "roots/list"}})),
            "mcp_input_required");
}

TEST_P(AskingMcpLink, ACallThatIsCancelledWhileItAsksEnds) {
  server.connect();
  std::jthread cancel([&] {
    context.asked(1);
    context.stop.request_stop();
  });
  EXPECT_EQ(told(call("confirms")), "cancelled");
  AskedContext next;
  EXPECT_EQ(told(call(next, "echo", {{"text", "next"}})), "next");
}

TEST_P(AskingMcpLink, WhatItNoLongerWantsToKnowIsGivenUp) {
  if (modern()) return;  // it asks by its result
  server.connect();
  EXPECT_EQ(told(call("withdraws")), "withdrawn");
  EXPECT_TRUE(context.gives_up(1));
}

TEST_P(AskingMcpLink, OfTwoCallsEachIsAskedItsOwnOrNone) {
  server.connect();
  AskedContext other;
  other.answer = [](const model::Question&) { return Json{{"action", "decline"}}; };
  context.answer = [](const model::Question&) { return kYes; };
  test::Awaited<Json> first;
  std::jthread slow([&, end = first.callback()] { end(told(call("slowly", {{"ms", 1'500}}))); });
  ASSERT_TRUE(server.sees("call"));
  const auto asked = told(call(other, "confirms", {{"message", "Whose?"}}));
  EXPECT_TRUE(context.asked(0).empty()) << "it is not the slow one's";
  if (stdio() && !modern()) {
    ASSERT_EQ(asked[0].value("code", 0), -32601) << asked;
    EXPECT_NE(asked[0].at("message").get<std::string>().find("cannot tell"), std::string::npos);
    EXPECT_TRUE(other.asked(0).empty());
  } else {
    EXPECT_EQ(asked, Json::array({Json{{"action", "decline"}}}));
  }
  EXPECT_EQ(first.next(), "slowly");
  EXPECT_EQ(told(call(other, "confirms", {{"message", "Now?"}})),
            Json::array({Json{{"action", "decline"}}}));
}

std::string name_of(const testing::TestParamInfo<Way>& one) {
  std::string name = std::get<0>(one.param) == Scripted::Over::kStdio ? "stdio_" : "http_";
  for (const char c : std::get<1>(one.param)) name += c == '-' ? '_' : c;
  return name;
}
INSTANTIATE_TEST_SUITE_P(
    BothWays, AskingMcpLink,
    testing::Combine(testing::Values(Scripted::Over::kStdio, Scripted::Over::kHttp),
                     testing::Values("2025-06-18", "2025-11-25", "2026-07-28")),
    name_of);

TEST(AskingMcpStdioLink, ACallThatRunsOnceMoreAfterTheServersDeathIsNotAskedAgain) {
  Scripted server;
  server.connect();
  const auto pid = std::stoi(server.text("pid"));
  AskedContext context;
  std::jthread dies([&] {
    const auto asked = context.asked(1);
    kill(pid, SIGKILL);
    if (server.sees("asks", 2) && !asked.empty()) context.give(asked[0].key, kYes);
  });
  CallQuestions questions("scripted", kAll, context);
  auto call = server.with("confirms", Json::object(), LinkCall::Again::kOnce);
  call.cancelled = questions.stopped();
  call.questions = &questions;
  const auto result = server.link->call(std::move(call));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->structured->at("told"), Json::array({kYes}));
  EXPECT_EQ(context.asked(1).size(), 1U);
}

}  // namespace
}  // namespace toolway::tools::executors::mcp_client
