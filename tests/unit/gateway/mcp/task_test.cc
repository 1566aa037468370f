#include "gateway/mcp/task.h"

#include <gtest/gtest.h>

namespace toolway::gateway::mcp {
namespace {

using tools::model::Spec;
using tools::model::TaskMode;
using toolway::mcp::Revision;

constexpr auto k2025 = Revision::k2025_11_25;
constexpr auto k2026 = Revision::k2026_07_28;

Spec spec(TaskMode mode, bool multi_step = false) {
  Spec made;
  made.task = mode;
  made.multi_step = multi_step;
  return made;
}

std::string use(const Spec& of, Revision revision, const TaskWish& wish) {
  const auto found = task_use(of, revision, wish);
  if (!found) return std::to_string(found.error().code);
  switch (*found) {
    case TaskUse::kNever: return "never";
    case TaskUse::kWhenHeld: return "when held";
    case TaskUse::kWhenSlow: return "when slow";
    case TaskUse::kAtOnce: return "at once";
    case TaskUse::kAfterQuestions: return "after questions";
  }
  return "?";
}

TEST(TaskUse, ClientsOf2025AskForIt) {
  const TaskWish asked{.asked = true};
  EXPECT_EQ(use(spec(TaskMode::kOptional), k2025, asked), "at once");
  EXPECT_EQ(use(spec(TaskMode::kOptional, true), k2025, {}), "never");
  EXPECT_EQ(use(spec(TaskMode::kForbidden), k2025, asked), "-32601");
  EXPECT_EQ(use(spec(TaskMode::kForbidden), k2025, {}), "never");
  EXPECT_EQ(use(spec(TaskMode::kRequired), k2025, {}), "-32601");
  EXPECT_EQ(use(spec(TaskMode::kRequired), k2025, asked), "at once");
  for (const auto mode : {TaskMode::kForbidden, TaskMode::kOptional, TaskMode::kRequired})
    EXPECT_EQ(use(spec(mode), Revision::k2025_06_18, asked), "never") << "it knows no tasks";
}

TEST(TaskUse, From2026OnTheServerDecides) {
  const TaskWish declared{.declared = true};
  EXPECT_EQ(use(spec(TaskMode::kOptional), k2026, declared), "when slow");
  EXPECT_EQ(use(spec(TaskMode::kOptional, true), k2026, declared), "at once");
  const TaskWish with_progress{.declared = true, .progress = true};
  EXPECT_EQ(use(spec(TaskMode::kOptional), k2026, with_progress), "when slow");
  EXPECT_EQ(use(spec(TaskMode::kOptional, true), k2026, with_progress), "when held");
  EXPECT_EQ(use(spec(TaskMode::kOptional, true), k2026, {.asked = true}), "never")
      << "params.task says nothing there";
  EXPECT_EQ(use(spec(TaskMode::kForbidden, true), k2026, declared), "never");
  EXPECT_EQ(use(spec(TaskMode::kRequired), k2026, with_progress), "after questions");
  EXPECT_EQ(use(spec(TaskMode::kRequired), k2026, {}), "-32021");
}

class TaskTest : public testing::Test {
 protected:
  TaskTest() : facts_(call()) {}
  static persistence::store::RecordedCall call() {
    persistence::store::RecordedCall made;
    made.call_id = "c";
    made.submitted_at = from_unix_us(1'000'000);
    return made;
  }
  void end(v1::Outcome outcome, const std::string& code = "", const std::string& details = "") {
    auto& event = facts_.call.completion.emplace();
    event.set_time_us(5'000'000);
    event.mutable_completed()->set_outcome(outcome);
    event.mutable_completed()->set_result("\"done\"");
    if (code.empty()) return;
    event.mutable_completed()->mutable_error()->set_code(code);
    event.mutable_completed()->mutable_error()->set_message("because");
    event.mutable_completed()->mutable_error()->set_details(details);
  }
  std::string status(Revision revision) const {
    return task_json(facts_, revision)["status"].get<std::string>();
  }
  Json detailed() const { return detailed_task(facts_, Spec(), k2026); }

  TaskFacts facts_;
};

TEST_F(TaskTest, OneThatWorks) {
  EXPECT_EQ(to_text(task_json(facts_, k2025)),
            R"({"createdAt":"1970-01-01T00:00:01.000000Z","lastUpdatedAt":)"
            R"("1970-01-01T00:00:01.000000Z","pollInterval":1000,"status":"working",)"
            R"("statusMessage":"it waits for a worker","taskId":"c","ttl":null})");
  const auto modern = task_json(facts_, k2026);
  EXPECT_TRUE(modern.contains("ttlMs") && modern.contains("pollIntervalMs"));
  EXPECT_FALSE(modern.contains("ttl") || modern.contains("pollInterval"));
  facts_.call.held = true;
  EXPECT_EQ(task_json(facts_, k2025)["statusMessage"], "it waits for approval");
  auto& progress = *facts_.last.emplace().mutable_progress();
  progress.set_step("files");
  progress.set_message("a.txt");
  progress.set_progress(3);
  progress.set_total(7);
  facts_.last->set_time_us(2'000'000);
  const auto shown = task_json(facts_, k2025);
  EXPECT_EQ(shown["statusMessage"], "files: a.txt, 3 of 7");
  EXPECT_EQ(shown["lastUpdatedAt"], "1970-01-01T00:00:02.000000Z");
}

TEST_F(TaskTest, OneThatAsks) {
  auto& last = facts_.last.emplace();
  last.mutable_input_requested()->add_keys("k");
  auto& question = *last.add_questions();
  question.set_key("k");
  question.set_method("elicitation/create");
  question.set_params(R"({"message":"Sure?"})");
  EXPECT_EQ(status(k2025), "input_required");
  EXPECT_EQ(to_text(detailed()["inputRequests"]),
            R"({"k":{"method":"elicitation/create","params":{"message":"Sure?"}}})");
}

TEST_F(TaskTest, EndsReadAsEachRevisionSays) {
  end(v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(status(k2025), "completed");
  EXPECT_EQ(detailed()["result"]["content"][0]["text"], "done");
  end(v1::OUTCOME_CANCELLED, "cancelled");
  EXPECT_EQ(status(k2025), "cancelled");
  EXPECT_EQ(status(k2026), "cancelled");
  EXPECT_FALSE(detailed().contains("result"));
  for (const auto outcome : {v1::OUTCOME_FAILED, v1::OUTCOME_TIMED_OUT, v1::OUTCOME_REJECTED,
                             v1::OUTCOME_LOST, v1::OUTCOME_UNKNOWN}) {
    end(outcome, "broken");
    EXPECT_EQ(status(k2025), "failed");
    EXPECT_EQ(status(k2026), "completed") << "a model reads it";
    EXPECT_EQ(detailed()["result"]["isError"], true);
  }
}

TEST_F(TaskTest, AnUpstreamsErrorStaysOne) {
  end(v1::OUTCOME_FAILED, "mcp_refused", R"({"code":-32000,"data":{"a":1}})");
  EXPECT_EQ(status(k2026), "failed");
  EXPECT_EQ(to_text(detailed()["error"]), R"({"code":-32000,"data":{"a":1},"message":"because"})");
  EXPECT_FALSE(detailed().contains("result"));
  end(v1::OUTCOME_FAILED, "mcp_refused", "{}");
  EXPECT_EQ(status(k2026), "completed") << "an error of the protocol has a code";
}

TEST_F(TaskTest, WhatItsClientHadNotDeclaredIsAnErrorFrom2026On) {
  end(v1::OUTCOME_FAILED, "cannot_ask", R"({"method":"sampling/createMessage"})");
  EXPECT_EQ(status(k2025), "failed");
  EXPECT_EQ(status(k2026), "failed");
  EXPECT_EQ(to_text(detailed()["error"]),
            R"({"code":-32021,"data":{"requiredCapabilities":{"sampling":{}}},)"
            R"("message":"because"})");
}

TEST_F(TaskTest, ItsClientIsAskedWhatHasNoAnswer) {
  EXPECT_FALSE(keys_to_ask(facts_)) << "nothing is known of its log";
  auto& last = facts_.last.emplace();
  for (const auto* key : {"a", "b"}) last.add_questions()->set_key(key);
  last.mutable_questions(0)->set_answer("{}");
  last.mutable_input_provided();
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys_to_ask(facts_), Keys{"b"});
  last.mutable_retry_at();
  EXPECT_EQ(keys_to_ask(facts_), Keys{"b"}) << "between two attempts, too";
  last.mutable_cancel_requested();
  EXPECT_EQ(keys_to_ask(facts_), Keys()) << "it ends soon";
  facts_.call.completion.emplace();
  facts_.last.reset();
  EXPECT_EQ(keys_to_ask(facts_), Keys());
}

TEST_F(TaskTest, WhatACallBecomesSaysWhatAModelIsTold) {
  v1::CallRequest request;
  request.set_call_id("c");
  request.set_submitted_at_us(1'000'000);
  const TaskTimes times{.poll = std::chrono::milliseconds(3000), .ttl = std::chrono::days(30)};
  const auto handshake = created_task(request, k2025, times);
  EXPECT_EQ(handshake["task"]["taskId"], "c");
  EXPECT_NE(handshake["_meta"]["io.modelcontextprotocol/model-immediate-response"]
                .get<std::string>()
                .find("\"c\""),
            std::string::npos);
  const auto modern = created_task(request, k2026, times);
  EXPECT_EQ(modern["resultType"], "task");
  EXPECT_EQ(modern["taskId"], "c");
  EXPECT_EQ(modern["pollIntervalMs"], 3000);
  EXPECT_EQ(modern["ttlMs"], 2'592'000'000);
  EXPECT_EQ(handshake["task"]["ttl"], 2'592'000'000);
  EXPECT_FALSE(modern.contains("task") || modern.contains("requestState"));
}

}  // namespace
}  // namespace toolway::gateway::mcp
