#include "cli/client/call_lists.h"

#include <gtest/gtest.h>

#include <map>

namespace toolway::cli::client {
namespace {

using namespace std::chrono_literals;

OrderedJson json(const char* text) { return *parse_ordered_json(text); }

TEST(CallLists, AskOnlyForWhatIsGiven) {
  EXPECT_EQ(calls_target({}), "/v1/calls?");
  CallListOptions options;
  options.session = "a@b";
  options.tool = "shop.refund";
  options.namespace_ = "shop";
  options.state = "completed";
  options.outcome = "failed";
  options.error_code = "card declined";
  options.since = "2026-01-31T12:00:00+01:00";
  options.until = "1m";
  options.min_duration = "1s";
  options.max_duration = "2s";
  options.attempts = 2;
  EXPECT_EQ(calls_target(options),
            "/v1/calls?session=a%40b&tool=shop.refund&namespace=shop&state=completed&"
            "outcome=failed&error_code=card%20declined&since=2026-01-31T12%3A00%3A00%2B01%3A00&"
            "until=1m&min_duration=1s&max_duration=2s&attempts=2&");
}

TEST(CallLists, ShowACallInARow) {
  auto table = calls_table();
  const auto row = call_row(json(R"({"call_id":"c","session_id":"s","tool":"t","namespace":"n",
      "state":"completed","outcome":"failed","attempt":2,"waited_ms":0.913,"ran_ms":1500,
      "submitted_at":"2026-01-31T12:00:00Z","parent_call_id":"p","result":null,
      "error":{"message":"no"}})"),
                            {});
  ASSERT_EQ(row.cells.size(), table.columns.size());
  std::vector<std::string> texts;
  for (const auto& cell : row.cells) texts.push_back(cell.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"c", "n.t", "s", "failed", "2026-01-31T12:00:00Z",
                                             "0.9 ms", "1.5 s", "2", "p", "no"}));
  const auto queued = call_row(json(R"({"state":"queued","waited_ms":null,"ran_ms":null})"), {});
  EXPECT_EQ(queued.cells[3].text, "queued");
  EXPECT_EQ(queued.cells[5].text, "");
}

std::string lines_of(const OrderedJson& call, const OrderedJson& events) {
  std::string text;
  for (const auto& line : history_of(call, events))
    text += std::to_string(line.at.count()) + " " + line.event + ": " + line.text + "\n";
  return text;
}

TEST(CallLists, SayWhichWayACallCame) {
  for (const auto& [face, text] :
       std::map<std::string, std::string>{{"mcp/2025-11-25", ", over MCP 2025-11-25"},
                                          {"model", ", by a model's message"},
                                          {"chat", ", by the chat engine"},
                                          {"other", ", over other"},
                                          {"", ""}})
    EXPECT_EQ(lines_of({{"session_id", "s"}, {"face", face}}, OrderedJson::array()),
              "0 submitted: to session s" + text + "\n");
}

TEST(CallLists, TellACallsHistoryFromItsSubmission) {
  const auto call = json(R"({"submitted_at":"2026-01-31T12:00:00.000000Z","session_id":"s",
                             "ran_ms":2000})");
  const auto events = json(R"([
    {"type":"started","time":"2026-01-31T12:00:00.001000Z","attempt":1,"worker_id":"w"},
    {"type":"progress","time":"2026-01-31T12:00:01Z","progress":1,"total":4,"message":"one"},
    {"type":"progress","time":"2026-01-31T12:00:01.5Z","progress":2,"total":4,"message":"two"},
    {"type":"log","time":"2026-01-31T12:00:01.6Z","level":"info","message":"half"},
    {"type":"progress","time":"2026-01-31T12:00:01.7Z","progress":3,"total":4},
    {"type":"completed","time":"2026-01-31T12:00:02.001000Z","outcome":"failed",
     "error":{"code":"tool_failed","message":"no"}}])");
  EXPECT_EQ(lines_of(call, events),
            "0 submitted: to session s\n"
            "1000 started: attempt 1 by w\n"
            "1500000 progress: 2/4 two (the last of 2 reports)\n"
            "1600000 log: info: half\n"
            "1700000 progress: 3/4\n"
            "2001000 completed: failed after 2.0 s, tool_failed: no\n");
}

TEST(CallLists, TellWhatWasAskedAndAnswered) {
  const auto call = json(R"({"submitted_at":"2026-01-31T12:00:00Z","session_id":"s"})");
  const auto events = json(R"([
    {"type":"input_requested","time":"2026-01-31T12:00:00.002Z","questions":[
      {"key":"sure","method":"elicitation/create","params":{"message":"Really?"}},
      {"key":"roots","method":"roots/list","params":{}}]},
    {"type":"input_provided","time":"2026-01-31T12:00:00.003Z","answered":["sure"]}])");
  EXPECT_EQ(lines_of(call, events),
            "0 submitted: to session s\n"
            "2000 input_requested: sure: Really?; roots: roots/list\n"
            "3000 input_provided: answered: sure\n");
}

TEST(CallLists, TellTheStartThatACompletionReports) {
  const auto call = json(R"({"submitted_at":"2026-01-31T12:00:00Z","session_id":"s","ran_ms":1})");
  const auto events = json(R"([{"type":"completed","time":"2026-01-31T12:00:00.002Z","attempt":1,
    "worker_id":"w","started_at":"2026-01-31T12:00:00.001Z","outcome":"succeeded","error":null}])");
  EXPECT_EQ(lines_of(call, events),
            "0 submitted: to session s\n"
            "1000 started: attempt 1 by w\n"
            "2000 completed: succeeded after 1.0 ms\n");
}

TEST(CallLists, BeginACallsEventsWithItsAcceptance) {
  const auto all =
      events_from_acceptance(json(R"({"submitted_at":"2026-01-31T12:00:00Z","call_id":"c"})"),
                             json(R"([{"type":"started"},{"type":"completed"}])"));
  EXPECT_EQ(all, json(R"([{"type":"accepted","time":"2026-01-31T12:00:00Z","call_id":"c"},
                          {"type":"started"},{"type":"completed"}])"));
}

TEST(CallLists, TakeTheLogsOfATool) {
  const auto event = json(R"({"type":"log","namespace":"shop","tool":"refund","level":"error",
      "message":"no card","time":"2026-01-31T12:00:00.123456Z"})");
  EXPECT_TRUE(is_log_of(event, ""));
  EXPECT_TRUE(is_log_of(event, "refund"));
  EXPECT_TRUE(is_log_of(event, "shop.refund"));
  EXPECT_FALSE(is_log_of(event, "bank.refund"));
  EXPECT_FALSE(is_log_of(json(R"({"type":"progress"})"), ""));
  EXPECT_EQ(log_line(event).text, "12:00:00.123 shop.refund error: no card");
  EXPECT_TRUE(log_line(event).urgent);
}

}  // namespace
}  // namespace toolway::cli::client
