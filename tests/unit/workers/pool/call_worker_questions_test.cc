// Tools that ask, and wait for the answer.
#include "proto/publication.h"
#include "proto/questions.h"
#include "tests/unit/workers/worker_bench.h"

namespace toolway::workers::pool {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using tools::model::Execution;
using tools::model::Question;
using tools::model::ToolContext;

const Json kParams{{"message", "Really?"}};

/// Asks, and returns what it was told.
Execution asks(const Json&, ToolContext& context, tools::model::Progress&) {
  auto answers = context.ask({{.key = "k", .method = "elicitation/create", .params = kParams}}, {});
  if (!answers) return tl::unexpected(answers.error());
  return answers->front();
}

class CallWorkerQuestions : public test::WorkerBench {
 protected:
  /// As a gateway answers, without telling the worker.
  void answer(const v1::CallRequest& request, const std::string& text) {
    auto event = last_event(request)->second;
    const auto followed = proto::followed_by(event);
    event.mutable_input_provided()->set_follows(followed);
    event.mutable_input_provided()->add_keys("k");
    event.mutable_questions(0)->set_answer(text);
    event.mutable_questions(0)->clear_params();
    append(request, event);
    for (;;) {
      const auto next = this->event();
      if (next.has_input_provided() || next.call_id().empty()) break;
    }
  }
  void tell(const v1::CallRequest& request, const std::string& worker_id) {
    v1::ControlRequest control;
    control.set_call_id(request.call_id());
    toolway::test::Awaited<Result<std::string>> answer;
    memory_->request(proto::control_subject(worker_id), control.SerializeAsString(),
                     answer.callback());
    EXPECT_TRUE(answer.next());
  }
  /// In steps of 2.5 s, in each of which the delivery is extended.
  void pass_slowly(CallWorker& worker, int steps) {
    for (int i = 0; i < steps; ++i) {
      memory_->quiesce();
      pass(worker, milliseconds(2500));
    }
    memory_->quiesce();
  }
  v1::CallEvent asked() {
    for (;;) {
      auto next = event();
      if (next.has_input_requested() || next.has_completed() || next.call_id().empty()) return next;
    }
  }
};

TEST_F(CallWorkerQuestions, TheToolContinuesWithTheAnswer) {
  for (const bool idempotent : {true, false}) {
    const auto request = call();
    auto worker =
        this->worker(test::registry_of({.idempotent = idempotent}, asks), {.worker_id = "w1"});
    submit(request);
    EXPECT_TRUE(event().has_started());
    const auto asked = this->asked();
    ASSERT_EQ(asked.questions_size(), 1);
    EXPECT_EQ(asked.questions(0).method(), "elicitation/create");
    EXPECT_EQ(asked.questions(0).params(), to_text(kParams));
    answer(request, R"({"action":"accept","content":{"ok":true}})");
    tell(request, "w1");
    const auto end = completed();
    EXPECT_EQ(end.completed().result(), R"({"action":"accept","content":{"ok":true}})");
    EXPECT_EQ(end.seq(), 4u);
    expect_all_acked();
  }
}

TEST_F(CallWorkerQuestions, AnAnswerThatItWasNotToldOfIsFoundWithTheNextSignOfLife) {
  const auto request = call();
  auto worker = this->worker(test::registry_of({}, asks), {.worker_id = "w1"});
  submit(request);
  asked();
  answer(request, R"({"action":"decline"})");
  pass(*worker, seconds(11));
  EXPECT_EQ(completed().completed().result(), R"({"action":"decline"})");
}

TEST_F(CallWorkerQuestions, WaitingCountsForTheTotalAlone) {
  auto request = call();
  request.mutable_limits()->set_run_ms(5'000);
  request.mutable_limits()->set_heartbeat_ms(2'000);
  request.mutable_limits()->set_total_ms(100'000);
  auto worker = this->worker(test::registry_of({.idempotent = false}, asks), {.worker_id = "w1"});
  submit(request);
  asked();
  pass_slowly(*worker, 12);
  answer(request, R"({"action":"accept","content":{}})");
  tell(request, "w1");
  EXPECT_EQ(completed().completed().outcome(), v1::OUTCOME_SUCCEEDED);

  auto late = call();
  late.mutable_limits()->set_total_ms(20'000);
  submit(late);
  asked();
  pass_slowly(*worker, 9);
  const auto end = completed();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_TIMED_OUT);
  EXPECT_EQ(end.completed().error().code(), "total_limit_exceeded");
}

TEST_F(CallWorkerQuestions, ACancellationEndsTheWait) {
  const auto request = call();
  auto worker = this->worker(test::registry_of({}, asks), {.worker_id = "w1"});
  submit(request);
  asked();
  ASSERT_TRUE(cancel(request, "w1"));
  EXPECT_EQ(completed().completed().outcome(), v1::OUTCOME_CANCELLED);
}

TEST_F(CallWorkerQuestions, WhatItsClientDidNotDeclareIsNotAsked) {
  auto request = call();
  request.mutable_askable()->set_sampling(true);
  auto worker = this->worker(test::registry_of({}, asks), {.worker_id = "w1"});
  submit(request);
  const auto end = completed();
  EXPECT_EQ(end.completed().error().code(), "cannot_ask");
  EXPECT_EQ(end.completed().error().message(),
            "elicitation/create cannot be asked: the client of this call has not declared that it "
            "answers it, or takes its answer in one piece, which carries no questions: name "
            "text/event-stream in Accept");
  EXPECT_EQ(end.completed().error().details(), R"({"method":"elicitation/create","url":false})");
}

TEST_F(CallWorkerQuestions, AnErrorInPlaceOfAnAnswerIsTheToolsError) {
  const auto request = call();
  auto worker = this->worker(test::registry_of({}, asks), {.worker_id = "w1"});
  submit(request);
  asked();
  answer(request, R"({"error":{"message":"the user is away"}})");
  tell(request, "w1");
  const auto end = completed();
  EXPECT_EQ(end.completed().error().code(), "not_answered");
  EXPECT_EQ(end.completed().error().message(), "the user is away");
}

TEST_F(CallWorkerQuestions, AnotherWorkerIsGivenWhatWasAnsweredToTheFirst) {
  const auto request = call();
  v1::CallEvent started;
  started.set_attempt(1);
  started.set_worker_id("gone");
  started.mutable_started();
  append(request, started);
  EXPECT_TRUE(event().has_started());
  v1::CallEvent asked = last_event(request)->second;
  asked.mutable_input_requested()->add_keys("k");
  auto& question = *asked.add_questions();
  question.set_key("k");
  question.set_method("elicitation/create");
  question.set_params(to_text(kParams));
  append(request, asked);
  EXPECT_TRUE(event().has_input_requested());
  answer(request, R"({"action":"accept","content":{"n":1}})");

  auto again = request;
  again.set_publication(proto::kBrokenOff + 1);
  submit(again);
  auto worker = this->worker(test::registry_of({}, asks), {.worker_id = "w2"});
  const auto end = completed();
  EXPECT_EQ(end.attempt(), 2u);
  EXPECT_EQ(end.completed().result(), R"({"action":"accept","content":{"n":1}})");
}

/// As the gateway that answered it.
v1::CallRequest published_again(v1::CallRequest request, unsigned attempt) {
  request.set_publication(proto::kAnswered + attempt);
  return request;
}

TEST_F(CallWorkerQuestions, AfterThirtySecondsItsSlotIsFreeAndTheAnswerRunsItAgain) {
  for (const bool idempotent : {true, false}) {
    const auto request = call();
    const auto tools =
        test::registry_of({.idempotent = idempotent, .asks_restart = !idempotent}, asks);
    auto worker = this->worker(tools, {.worker_id = "w1", .slots = 1});
    submit(request);
    asked();
    pass_slowly(*worker, 12);
    const auto parked = last_event(request)->second;
    ASSERT_TRUE(proto::is_parked(parked)) << idempotent;
    expect_all_acked();
    // Its slot and its thread are free.
    const auto other = call();
    submit(other);
    EXPECT_EQ(asked().call_id(), request.call_id()) << "it is parked";
    EXPECT_EQ(asked().call_id(), other.call_id());
    ASSERT_TRUE(cancel(other, "w1"));
    EXPECT_EQ(completed().call_id(), other.call_id());

    answer(request, R"({"action":"accept","content":{"ok":true}})");
    submit(published_again(request, 1));
    const auto end = completed();
    EXPECT_EQ(end.call_id(), request.call_id());
    EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_SUCCEEDED);
    EXPECT_EQ(end.completed().result(), R"({"action":"accept","content":{"ok":true}})");
    EXPECT_EQ(end.attempt(), 2u);
    expect_all_acked();
  }
  EXPECT_EQ(metrics_->counter(monitoring::kParked).value(), 2);
  EXPECT_EQ(metrics_->counter(monitoring::kTakeovers).value(), 0);
}

TEST_F(CallWorkerQuestions, OneThatMustNotRunTwiceKeepsItsSlot) {
  const auto request = call();
  auto worker = this->worker(test::registry_of({.idempotent = false}, asks), {.worker_id = "w1"});
  submit(request);
  asked();
  pass_slowly(*worker, 40);
  EXPECT_FALSE(proto::is_parked(last_event(request)->second));
  answer(request, R"({"action":"decline"})");
  tell(request, "w1");
  EXPECT_EQ(completed().completed().result(), R"({"action":"decline"})");
}

TEST_F(CallWorkerQuestions, AMessageOfAParkedCallThatComesAgainIsAcknowledged) {
  const auto request = call();
  auto worker = this->worker(test::registry_of({}, asks), {.worker_id = "w1"});
  submit(request);
  asked();
  pass_slowly(*worker, 12);
  ASSERT_TRUE(proto::is_parked(last_event(request)->second));
  const auto events = stored_events();
  submit(published_again(request, 0));
  pass_slowly(*worker, 1);
  expect_all_acked();
  EXPECT_EQ(stored_events(), events) << "it does not run before it is answered";
}

TEST_F(CallWorkerQuestions, ATotalLimitThatPassedWhileItWasParkedEndsIt) {
  auto request = call();
  request.mutable_limits()->set_total_ms(60'000);
  auto worker = this->worker(test::registry_of({}, asks), {.worker_id = "w1"});
  submit(request);
  asked();
  pass_slowly(*worker, 13);
  answer(request, R"({"action":"decline"})");
  clock_.advance(seconds(31));
  submit(published_again(request, 1));
  EXPECT_EQ(completed().completed().error().code(), "total_limit_exceeded");
}

TEST_F(CallWorkerQuestions, WrongQuestionsAreTheToolsMistake) {
  const std::vector<Question> wrong{
      {.key = "", .method = "elicitation/create", .params = kParams},
      {.key = std::string(65, 'k'), .method = "elicitation/create", .params = kParams},
      {.key = "toolway.approve", .method = "elicitation/create", .params = kParams},
      {.key = "k", .method = "tools/call", .params = kParams},
      {.key = "k", .method = "roots/list", .params = Json::array()}};
  for (const auto& question : wrong) {
    auto worker = this->worker(test::registry_of(
        {}, [question](const Json&, ToolContext& context, tools::model::Progress&) -> Execution {
          auto answers = context.ask({question}, {});
          return tl::unexpected(answers.error());
        }));
    submit(call());
    EXPECT_EQ(completed().completed().error().code(), "invalid_request") << question.key;
  }
}

}  // namespace
}  // namespace toolway::workers::pool
