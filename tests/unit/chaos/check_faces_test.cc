#include <gtest/gtest.h>

#include "tests/unit/chaos/mcp_runs.h"

namespace toolway::chaos {
namespace {

Verdicts judged(const McpSeen& seen, const SessionEnd& end = asking_session()) {
  Verdicts verdicts;
  check_faces(end, seen, verdicts);
  check_tasks(end, seen, verdicts);
  return verdicts;
}

TaskLook look(const std::string& status, std::int64_t at_us,
              const std::string& revision = "2025-11-25") {
  return {.user = "u1",
          .session = "s1",
          .call_id = "c1",
          .revision = revision,
          .method = "tasks/get",
          .gateway = "g0",
          .at_us = at_us,
          .done_us = at_us + 5,
          .task = {.id = "c1", .status = status}};
}

Verdicts judged(const std::vector<TaskLook>& looks, const SessionEnd& end = asking_session()) {
  McpSeen seen;
  for (const auto& one : looks) seen.looks.push_back(&one);
  return judged(seen, end);
}

TEST(CheckFaces, FindsAnotherEndThanRestShows) {
  auto stretch = whole_stream();
  EXPECT_TRUE(judged(McpSeen{.stretches = {&stretch}}).clean());
  auto& reading = *stretch.messages.back().reading;
  reading.same = 8;
  EXPECT_EQ(judged(McpSeen{.stretches = {&stretch}})[Property::kFaces].violated, 1U);
  reading = {.outcome = "cancelled"};
  EXPECT_EQ(judged(McpSeen{.stretches = {&stretch}})[Property::kFaces].violated, 1U);
}

TEST(CheckFaces, FindsOtherBytesInAnotherFace) {
  auto stretch = whole_stream();
  stretch.messages.back().reading->bytes = 1;
  auto shown = look("completed", 10);
  shown.task.reading = good_reading();
  shown.task.reading->bytes = 2;
  const McpSeen seen{.stretches = {&stretch}, .looks = {&shown}};
  EXPECT_EQ(judged(seen)[Property::kFaces].violated, 1U);
}

TEST(CheckTasks, StatusesFollowTheCall) {
  EXPECT_TRUE(
      judged({look("working", 10), look("input_required", 20), look("completed", 30)}).clean());
}

TEST(CheckTasks, FindsAnEndThatIsNotTheCalls) {
  EXPECT_EQ(judged({look("cancelled", 10)})[Property::kTasks].violated, 1U);
}

TEST(CheckTasks, ErrorsOfToolsAreFailuresInOneRevisionOnly) {
  auto end = asking_session();
  end.calls[0].outcome = "failed";
  EXPECT_TRUE(judged({look("failed", 10), look("completed", 20, "2026-07-28")}, end).clean());
  EXPECT_EQ(judged({look("completed", 10)}, end)[Property::kTasks].violated, 1U);
}

TEST(CheckTasks, FindsAnEndThatDidNotStay) {
  EXPECT_EQ(judged({look("completed", 10), look("working", 20)})[Property::kTasks].violated, 1U);
  EXPECT_TRUE(judged({look("completed", 10), look("working", 12)}).clean()) << "at the same time";
}

TEST(CheckTasks, FindsATaskThatIsNotFound) {
  auto lost = look("", 10);
  lost.error = -32602;
  lost.said = "there is no task with this id";
  EXPECT_EQ(judged({lost})[Property::kTasks].violated, 1U);
  lost.method = "tasks/cancel";
  lost.said = "the task has ended";
  EXPECT_TRUE(judged({lost}).clean());
}

TEST(CheckTasks, FindsAListThatIsNotWhole) {
  auto end = asking_session();
  auto listed = look("completed", 10);
  listed.method = "tasks/list";
  EXPECT_TRUE(judged(McpSeen{.at_the_end = {listed}}, end).clean());
  end.calls.push_back(recorded("c2", "tok.u1.2."));
  EXPECT_EQ(judged(McpSeen{.at_the_end = {listed}}, end)[Property::kTasks].violated, 1U);
  EXPECT_EQ(judged(McpSeen{.at_the_end = {listed, listed}})[Property::kTasks].violated, 1U);
}

TEST(Reading, IsTheSameInEveryFace) {
  const auto call = *parse_ordered_json(R"({"outcome":"succeeded","result":{"b":1,"a":"x"}})");
  const auto result = *parse_ordered_json(
      R"({"content":[{"type":"text","text":"{\"b\": 1, \"a\": \"x\"}"}],"_meta":{"toolway/call_id":"c"}})");
  EXPECT_EQ(difference(reading_of_call(call), *reading_of_result(result)), "");
  auto accepted = result;
  accepted["_meta"]["toolway/status"] = "queued";
  EXPECT_FALSE(reading_of_result(accepted)) << "its end comes later";
  const auto failed =
      *parse_ordered_json(R"({"outcome":"failed","error":{"code":"flaky","message":"no"}})");
  const auto is_error = *parse_ordered_json(
      R"({"isError":true,"content":[{"type":"text","text":"no"}],"_meta":{"toolway/call_id":"c","toolway/outcome":"failed","toolway/code":"flaky"}})");
  EXPECT_EQ(difference(reading_of_call(failed), *reading_of_result(is_error)), "");
  EXPECT_NE(difference(reading_of_call(call), *reading_of_result(is_error)), "");
}

TEST(Reading, NothingThatWasRefusedHasAnEnd) {
  const auto refused =
      *parse_ordered_json(R"({"isError":true,"content":[],"_meta":{"toolway/code":"queue_full"}})");
  EXPECT_FALSE(reading_of_result(refused));
}

}  // namespace
}  // namespace toolway::chaos
