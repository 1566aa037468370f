#include "tools/executors/mcp_client/call_questions.h"

#include <gtest/gtest.h>

#include "tests/unit/tools/executors/mcp_client/asked_context.h"

namespace toolway::tools::executors::mcp_client {
namespace {

constexpr mcp::ClientCapabilities kAll{.form = true, .url = true, .sampling = true, .roots = true};
const Json kYes{{"action", "accept"}, {"content", {{"confirm", true}}}};

class CallQuestionsTest : public testing::Test {
 protected:
  static mcp::Request form(std::int64_t id, const std::string& message = "Really?") {
    return {id, "elicitation/create", {{"message", message}}};
  }
  CallQuestions::Reply reply() {
    return [told = replies.callback()](const mcp::Answer& answer, const std::stop_token&) {
      told(answer);
    };
  }
  /// What the next reply says: the result, or the error's code.
  Json told() {
    const auto answer = replies.next();
    if (!answer) return "nothing";
    return answer->result ? *answer->result : Json(answer->result.error().code);
  }
  bool pass(CallQuestions& questions, const mcp::Request& asked) {
    return questions.pass_on(asked, reply());
  }

  AskedContext context;
  test::Awaited<mcp::Answer> replies;
};

TEST_F(CallQuestionsTest, AnAnswerGoesBackUnderTheIdOfItsQuestion) {
  CallQuestions questions("s", kAll, context);
  const Json params{{"message", "Really?"}, {"_meta", {{"progressToken", 5}}}};
  ASSERT_TRUE(pass(questions, {"q-7", "elicitation/create", params}));
  const auto asked = context.asked(1);
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].method, "elicitation/create");
  EXPECT_EQ(asked[0].params, Json({{"message", "Really?"}})) << "without what is for this worker";
  EXPECT_LE(asked[0].key.size(), 64U);
  context.give(asked[0].key, kYes);
  const auto answer = replies.next();
  ASSERT_TRUE(answer && answer->result);
  EXPECT_EQ(answer->id, mcp::RequestId("q-7"));
  EXPECT_EQ(*answer->result, kYes);
}

TEST_F(CallQuestionsTest, WhatWasAskedBeforeIsAnsweredWithoutAskingAgain) {
  const auto run = [&](const std::vector<std::string>& messages) {
    CallQuestions questions("s", kAll, context);  // as of another worker
    std::int64_t id = 0;
    for (const auto& message : messages) {
      EXPECT_TRUE(pass(questions, form(++id, message)));
      EXPECT_EQ(told(), kYes);
    }
  };
  context.answer = [](const model::Question&) { return kYes; };
  run({"first?", "second?", "first?"});
  const auto asked = context.asked(3);
  ASSERT_EQ(asked.size(), 3U) << "a question that comes again is another one";
  EXPECT_EQ(asked[2].key, asked[0].key + "-2");
  run({"second?", "first?", "first?"});
  EXPECT_EQ(context.asked(3).size(), 3U) << "in any order";
  run({"first?", "third?"});
  EXPECT_EQ(context.asked(4).size(), 4U);
}

TEST_F(CallQuestionsTest, ARequestThatGoesOutAgainAsksFromTheBeginning) {
  CallQuestions questions("s", kAll, context);
  pass(questions, form(1));
  const auto key = context.asked(1).at(0).key;
  questions.restart();
  EXPECT_TRUE(context.gives_up(1)) << "the server that asked is gone";
  pass(questions, form(1));
  context.give(key, kYes);
  EXPECT_EQ(told(), kYes);
  EXPECT_EQ(context.asked(1).size(), 1U);
}

TEST_F(CallQuestionsTest, ARequestThatAStreamRepeatsIsTheSame) {
  context.answer = [](const model::Question&) { return kYes; };
  CallQuestions questions("s", kAll, context);
  EXPECT_TRUE(pass(questions, form(1)));
  EXPECT_EQ(told(), kYes);
  EXPECT_TRUE(pass(questions, form(1)));
  EXPECT_FALSE(replies.next(std::chrono::milliseconds(50)));
  EXPECT_EQ(context.asked(1).size(), 1U);
}

TEST_F(CallQuestionsTest, WhatTheClientHasNotDeclaredIsNotForIt) {
  CallQuestions questions("s", {.form = true}, context);
  EXPECT_FALSE(pass(questions, {1, "sampling/createMessage", Json::object()}));
  EXPECT_FALSE(pass(questions, {2, "elicitation/create", {{"mode", "url"}}}));
  EXPECT_FALSE(pass(questions, {3, "tasks/list"}));
  EXPECT_FALSE(pass(questions, {4, "ping"}));
  EXPECT_FALSE(pass(questions, {std::string(100, 'x'), "elicitation/create"}));
  CallQuestions all("s", kAll, context);
  EXPECT_FALSE(pass(all, {1, "roots/list"})) << "the server would keep them for other calls";
  EXPECT_FALSE(questions.stopped().stop_requested());
}

TEST_F(CallQuestionsTest, SeveralAreAskedAtOnceAndEachIsAnsweredAlone) {
  CallQuestions questions("s", kAll, context);
  for (int i = 1; i <= 8; ++i) EXPECT_TRUE(pass(questions, form(i, std::to_string(i))));
  const auto asked = context.asked(8);
  ASSERT_EQ(asked.size(), 8U);
  EXPECT_FALSE(pass(questions, form(9, "9"))) << "that is too many";
  context.give(asked[3].key, kYes);
  EXPECT_EQ(told(), kYes);
}

TEST_F(CallQuestionsTest, AQuestionThatTheServerWithdrawsIsGivenUp) {
  CallQuestions questions("s", kAll, context);
  pass(questions, form(1));
  context.asked(1);
  questions.withdraw(2);
  questions.withdraw(1);
  EXPECT_TRUE(context.gives_up(1));
  EXPECT_FALSE(replies.next(std::chrono::milliseconds(50)));
}

TEST_F(CallQuestionsTest, ARefusalOfTheClientIsAnErrorForTheServer) {
  context.refusal = model::ToolError("not_answered", "the user is away");
  CallQuestions questions("s", kAll, context);
  pass(questions, form(1));
  const auto answer = replies.next();
  ASSERT_TRUE(answer && !answer->result);
  EXPECT_EQ(answer->result.error().code, -1);
  EXPECT_EQ(answer->result.error().message, "the user is away");
  EXPECT_FALSE(questions.too_much());
}

TEST_F(CallQuestionsTest, OneThatAsksForEverEndsTheCall) {
  context.answer = [](const model::Question&) { return kYes; };
  for (const auto* method : {"elicitation/create", "roots/list"}) {
    CallQuestions questions("s", kAll, context);
    int asked = 0;
    for (; !questions.stopped().stop_requested() && asked < 1'000; ++asked) {
      if (pass(questions, {asked, method, Json::object()}) && asked < 100) told();
    }
    EXPECT_EQ(asked, 101) << method;
    ASSERT_TRUE(questions.too_much());
    EXPECT_EQ(questions.too_much()->code, "mcp_input_required");
    EXPECT_NE(questions.too_much()->message.find("at most 100 questions"), std::string::npos);
  }
}

TEST_F(CallQuestionsTest, OneThatAsksMoreThanTheCallHasRoomForEndsIt) {
  context.refusal = model::ToolError("invalid_request", "a call's questions have at most 5 bytes");
  CallQuestions questions("s", kAll, context);
  const auto stopped = questions.stopped();
  test::Awaited<int> stop;
  const std::stop_callback on_stop(stopped, [told = stop.callback()] { told(1); });
  pass(questions, form(1));
  EXPECT_TRUE(stop.next());
  EXPECT_NE(questions.too_much()->message.find("5 bytes"), std::string::npos);
}

TEST_F(CallQuestionsTest, ACancelledCallAsksNoMore) {
  CallQuestions questions("s", kAll, context);
  pass(questions, form(1));
  context.asked(1);
  context.stop.request_stop();
  EXPECT_TRUE(questions.stopped().stop_requested());
  EXPECT_TRUE(context.gives_up(1));
  EXPECT_TRUE(pass(questions, form(2)));
  EXPECT_EQ(context.asked(1).size(), 1U);
  EXPECT_FALSE(questions.too_much());
}

TEST_F(CallQuestionsTest, WhatAServerWantsFirstIsAskedTogether) {
  context.answer = [](const model::Question& question) {
    return question.method == "roots/list" ? Json{{"roots", Json::array()}} : kYes;
  };
  CallQuestions questions("s", kAll, context);
  const std::vector<mcp::InputRequest> asks{
      {.key = "name", .method = "elicitation/create", .params = {{"message", "Name?"}}},
      {.key = "where", .method = "roots/list", .params = Json::object()}};
  const auto answers = questions.answers_to(asks);
  ASSERT_TRUE(answers) << answers.error().message;
  EXPECT_EQ(*answers, Json({{"name", kYes}, {"where", {{"roots", Json::array()}}}}));
  ASSERT_TRUE(questions.answers_to(asks));
  EXPECT_EQ(context.asked(4).size(), 4U) << "a server that wants it again wants another answer";
}

TEST_F(CallQuestionsTest, AServerThatWantsTooMuchFirstIsRefused) {
  context.answer = [](const model::Question&) { return kYes; };
  CallQuestions questions("s", {.form = true}, context);
  const auto undeclared = questions.answers_to(
      {{.key = "a", .method = "elicitation/create", .params = Json::object()},
       {.key = "b", .method = "sampling/createMessage", .params = Json::object()}});
  ASSERT_FALSE(undeclared);
  EXPECT_EQ(undeclared.error().code, "mcp_input_required");
  EXPECT_EQ(undeclared.error().details, Json({{"asks", Json::array({"sampling/createMessage"})}}));
  EXPECT_TRUE(context.asked(0).empty());
  int rounds = 0;
  const std::vector<mcp::InputRequest> again{
      {.key = "a", .method = "elicitation/create", .params = Json::object()}};
  while (rounds < 1'000 && questions.answers_to(again)) ++rounds;
  EXPECT_EQ(rounds, 100);
}

}  // namespace
}  // namespace toolway::tools::executors::mcp_client
