// The shapes that clients rely on, held by golden files. After a change that is
// meant: TOOLWAY_WRITE_GOLDEN=1 build/tests/unit_gateway_tests, and read the diff.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/json.h"
#include "gateway/wire/event_json.h"
#include "gateway/wire/problem.h"
#include "tests/paths.h"

namespace toolway::gateway::wire {
namespace {

/// Compares `json` with a golden file, both in the same indented form.
void expect_golden(const std::string& file, const std::string& json) {
  const auto parsed = parse_ordered_json(json);
  ASSERT_TRUE(parsed) << json;
  const std::string shown = parsed->dump(2) + "\n";
  const std::string path = TOOLWAY_SOURCE_DIR "/tests/golden/" + file;
  if (std::getenv("TOOLWAY_WRITE_GOLDEN") != nullptr) std::ofstream(path) << shown;
  std::ifstream in(path);
  std::stringstream golden;
  golden << in.rdbuf();
  EXPECT_EQ(shown, golden.str()) << file;
}

v1::CallEvent event() {
  v1::CallEvent event;
  event.set_call_id("0198f000-0000-7000-8000-000000000000");
  event.set_session_key("a3f00000000000000000000000000001");
  event.set_session_id("chat-1");
  event.set_user_id("ann");
  event.set_attempt(1);
  event.set_seq(3);
  event.set_time_us(1767323045000006);
  event.set_submitted_at_us(1767323044000000);
  event.set_worker_id("w1");
  auto& labels = *event.mutable_labels();
  labels.set_tool("find_in_files");
  labels.set_namespace_("filesystem");
  labels.set_tool_call_id("call_1");
  labels.set_topic("Find in files");
  labels.set_multi_step(true);
  return event;
}

std::vector<ShownEvent> shown(const v1::CallEvent& of) {
  return show_event(of, {1767323000000, 21});
}

TEST(GoldenEvents, Started) {
  auto started = event();
  started.mutable_started()->set_started_at_us(1767323044500000);
  expect_golden("events/started.json", shown(started).at(0).json);
}

TEST(GoldenEvents, Progress) {
  auto progress = event();
  progress.mutable_progress()->set_progress(3);
  progress.mutable_progress()->set_total(10);
  progress.mutable_progress()->set_message("3 of 10");
  progress.mutable_progress()->set_step("search");
  progress.mutable_progress()->set_data(R"([{"file":"a.txt","line":1}])");
  progress.mutable_progress()->set_merged(2);
  expect_golden("events/progress.json", shown(progress).at(0).json);
}

TEST(GoldenEvents, Log) {
  auto log = event();
  log.mutable_log()->set_level("warning");
  log.mutable_log()->set_message("skipped 2 files");
  expect_golden("events/log.json", shown(log).at(0).json);
}

TEST(GoldenEvents, CancelRequested) {
  auto cancel = event();
  cancel.mutable_cancel_requested()->set_reason("no longer needed");
  expect_golden("events/cancel_requested.json", shown(cancel).at(0).json);
}

TEST(GoldenEvents, Approvals) {
  auto asked = event();
  auto& hold = *asked.mutable_approval_requested()->mutable_hold();
  hold.set_because("unsafe_only");
  hold.add_roles("approver");
  hold.set_quorum(2);
  hold.set_expires_at_us(1767409445000006);
  expect_golden("events/approval_requested.json", shown(asked).at(0).json);
  auto decided = event();
  auto& decision = *decided.mutable_approval_decided();
  *decision.mutable_hold() = hold;
  for (const char* user : {"ann", "bea"}) {
    auto& vote = *decision.add_votes();
    vote.set_approve(true);
    vote.set_user_id(user);
  }
  decision.mutable_votes(1)->set_reason("seen");
  decided.set_approved("sha256:0");
  expect_golden("events/approval_decided.json", shown(decided).at(0).json);
}

TEST(GoldenEvents, CompletedWithEveryKindOfContent) {
  auto done = event();
  auto& completed = *done.mutable_completed();
  completed.set_outcome(v1::OUTCOME_SUCCEEDED);
  completed.set_started_at_us(1767323044500000);
  completed.set_result(R"({"text":"a\u0000b","n":1.0})");
  auto& text = *completed.add_content();
  text.set_type("text");
  text.set_text("hello");
  auto& image = *completed.add_content();
  image.set_type("image");
  image.set_data("\x89PNG");
  image.set_mime_type("image/png");
  expect_golden("events/completed.json", shown(done).at(0).json);
}

TEST(GoldenEvents, CompletedWithAPreview) {
  auto done = event();
  auto& completed = *done.mutable_completed();
  completed.set_outcome(v1::OUTCOME_SUCCEEDED);
  completed.set_started_at_us(1767323044500000);
  completed.set_result("[1,2]");
  auto& blob = *completed.mutable_blob();
  blob.set_size(52428800);
  blob.set_sha256("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08");
  blob.set_chunks(200);
  blob.set_items(26214400);
  expect_golden("events/completed_with_preview.json", shown(done).at(0).json);
}

TEST(GoldenEvents, CompletedWithAnError) {
  auto done = event();
  auto& completed = *done.mutable_completed();
  completed.set_outcome(v1::OUTCOME_FAILED);
  completed.set_started_at_us(1767323044500000);
  auto& error = *completed.mutable_error();
  error.set_code("quota_exceeded");
  error.set_message("the daily quota is used up");
  error.set_retryable(true);
  error.set_retry_after_ms(300000);
  error.set_details(R"({"limit":100})");
  expect_golden("events/failed.json", shown(done).at(0).json);
}

TEST(GoldenEvents, AMergedCompletionIsShownAsTwoEvents) {
  auto done = event();
  done.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
  done.mutable_completed()->set_started_at_us(1767323044500000);
  done.mutable_completed()->set_merged_start(true);
  done.mutable_completed()->set_result("1");
  const auto both = shown(done);
  ASSERT_EQ(both.size(), 2U);
  expect_golden("events/merged_started.json", both[0].json);
  expect_golden("events/merged_completed.json", both[1].json);
  EXPECT_LT(both[0].id, both[1].id);
  std::string sse;
  append_sse(sse, both[0]);
  EXPECT_EQ(sse, "id: 1767323000000-41\nevent: started\ndata: " + both[0].json + "\n\n");
}

TEST(GoldenEvents, HeartbeatsAreNotShown) {
  auto alive = event();
  alive.mutable_alive();
  EXPECT_TRUE(shown(alive).empty());
}

TEST(GoldenProblems, NameWhatIsWrong) {
  expect_golden("problems/invalid_arguments.json",
                problem_json({.error = {ErrorCode::kInvalidArguments,
                                        "/timezone: expected string, found integer"},
                              .errors = {{.place = "/timezone",
                                          .message = "expected string, found integer",
                                          .keyword = "type"}}},
                             "r1"));
  expect_golden("problems/unknown_tool.json",
                problem_json({.error = {ErrorCode::kUnknownTool, "unknown tool get_time"},
                              .suggestions = {"time.get_current_time"}},
                             "r1"));
  expect_golden("problems/accept_unknown.json",
                problem_json({.error = {ErrorCode::kAcceptUnknown, "sent, and never acknowledged"},
                              .call_id = "0198f000-0000-7000-8000-000000000000"},
                             "r1"));
  expect_golden(
      "problems/bus_unavailable.json",
      problem_json(bus_problem({ErrorCode::kBusUnavailable, "not connected to NATS"}), "r1"));
}

/// The status and title of every code, so that none changes unnoticed.
TEST(GoldenProblems, EveryCodeKeepsItsStatus) {
  OrderedJson statuses = OrderedJson::object();
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    const auto error = static_cast<ErrorCode>(code);
    statuses[std::string(code_name(error))] = status_of(error);
  }
  expect_golden("problems/statuses.json", to_text(statuses));
}

}  // namespace
}  // namespace toolway::gateway::wire
