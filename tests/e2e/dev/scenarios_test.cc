// The four scenarios that the service was designed for, through its HTTP face.
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <set>

#include "cli/bench/figures/memory.h"
#include "cli/client/follow.h"
#include "persistence/postgres/pg_connection.h"
#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"
#include "tests/support/sanitized.h"

namespace toolway::cli {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A stack with two gateways and the example tools.
class Scenarios : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new test::TempDir;
    const std::string examples = TOOLWAY_SOURCE_DIR "/examples/tools";
    dev_ = new Dev(*dir_, {"--gateways", "2", "--specs", examples, "--python-path", examples});
  }
  static void TearDownTestSuite() {
    delete dev_;
    delete dir_;
  }
  void SetUp() override { ASSERT_TRUE(dev_->ready().is_object()) << dev_->log(); }

  static std::string url(unsigned gateway) { return dev_->ready()["http_all"][gateway]; }
  static std::unique_ptr<client::HttpClient> client(const std::string& user, unsigned gateway = 0) {
    return std::move(*client::HttpClient::create({.url = url(gateway), .user = user}));
  }
  static OrderedJson post(client::HttpClient& client, const std::string& target,
                          const OrderedJson& body, int status,
                          const client::HttpClient::Headers& headers = {}) {
    const auto answer = client.request("POST", target, to_text(body), headers);
    if (!answer) {
      ADD_FAILURE() << answer.error().message;
      return {};
    }
    EXPECT_EQ(answer->status, status) << target << ": " << answer->body;
    return answer->json();
  }
  static void open(client::HttpClient& client, const std::string& session) {
    post(client, "/v1/sessions",
         {{"session_id", session}, {"namespaces", {"examples", "bench", "time"}}}, 201);
  }
  /// A plan that waits before each of its steps.
  static OrderedJson plan(unsigned steps, double seconds) {
    OrderedJson list = OrderedJson::array();
    for (unsigned i = 1; i <= steps; ++i)
      list.push_back(
          {{"name", "step " + std::to_string(i)}, {"action", "wait"}, {"values", {seconds}}});
    return {{"tool", "forge_execute"},
            {"arguments", {{"plan", {{"steps", list}, {"on_failure", "stop"}}}}}};
  }
  /// The events of a session that follow `after`, until `enough`.
  static std::vector<OrderedJson> follow(
      const std::string& user, const std::string& session, const std::string& after,
      const std::function<bool(const OrderedJson&)>& enough, unsigned gateway = 0,
      const std::function<void()>& opened = [] {}) {
    std::vector<OrderedJson> events;
    auto reader = client(user, gateway);
    (void)client::follow_events(*reader, "/v1/sessions/" + session + "/events", after,
                                [&](const tools::http::SseEvent& event) {
                                  events.push_back(*parse_ordered_json(event.data));
                                  return !enough(events.back());
                                },
                                {.opened = opened});
    return events;
  }
  static bool is(const OrderedJson& event, const char* type) { return event["type"] == type; }

  static inline test::TempDir* dir_ = nullptr;
  static inline Dev* dev_ = nullptr;
};

TEST_F(Scenarios, ASingleResultCallInUnder100Ms) {
  auto ann = client("ann");
  open(*ann, "single");
  milliseconds best{1000};
  for (int i = 0; i < 20 && best > milliseconds(20); ++i) {
    const auto begun = Steady::now();
    const auto call = post(*ann, "/v1/sessions/single/calls",
                           {{"tool", "calculate_sum"}, {"arguments", {{"numbers", {1, 2, 3.5}}}}},
                           200, {{"Prefer", "wait=30"}});
    best = std::min(best, std::chrono::duration_cast<milliseconds>(Steady::now() - begun));
    EXPECT_EQ(call["result"], 6.5);
  }
  EXPECT_LT(best, milliseconds(100));
}

TEST_F(Scenarios, AMultiStepCallWithItsFirstEventInUnder100MsAllStepsAndMemoryFreedAfterwards) {
  auto ann = client("ann");
  open(*ann, "steps");
  milliseconds best{1000};
  for (int i = 0; i < 10 && best > milliseconds(20); ++i) {
    Steady::time_point begun;
    std::optional<Steady::time_point> first;
    std::vector<std::string> steps;
    std::promise<void> followed;
    auto events = std::async(std::launch::async, [&] {
      return follow(
          "ann", "steps", "",
          [&](const OrderedJson& event) {
            if (!first) first = Steady::now();
            if (is(event, "progress")) steps.push_back(event["step"]);
            return is(event, "completed");
          },
          0, [&] { followed.set_value(); });
    });
    followed.get_future().wait();
    begun = Steady::now();
    post(*ann, "/v1/sessions/steps/calls", plan(4, 0.01), 202);
    const auto seen = events.get();
    EXPECT_EQ(steps, (std::vector<std::string>{"step 1", "step 2", "step 3", "step 4"}));
    EXPECT_EQ(seen.back()["outcome"], "succeeded");
    best = std::min(best, std::chrono::duration_cast<milliseconds>(*first - begun));
  }
  EXPECT_LT(best, milliseconds(100));

  // 40 MB of progress go through; nothing of it stays.
  const OrderedJson stream = {
      {"tool", "bench.stream"},
      {"arguments", {{"payload", std::string(2048, 'x')}, {"chunks", 1000}}}};
  const auto run_some = [&] {
    for (int i = 0; i < 10; ++i)
      post(*ann, "/v1/sessions/steps/calls", stream, 200, {{"Prefer", "wait=60"}});
  };
  run_some();  // pools and buffers have their size now
  const auto gateway = bench::figures::resident_kb(dev_->pid_of("gateway"));
  const auto worker = bench::figures::resident_kb(dev_->pid_of("worker"));
  run_some();
  run_some();
  EXPECT_LT(bench::figures::resident_kb(dev_->pid_of("gateway")) - gateway,
            test::resident_bound(10 * 1024));
  EXPECT_LT(bench::figures::resident_kb(dev_->pid_of("worker")) - worker,
            test::resident_bound(10 * 1024));
}

TEST_F(Scenarios, LogoutInMidTaskAndLoginAgainWithEveryProgressEventThereAndInOrder) {
  auto ann = client("ann");
  open(*ann, "away");
  post(*ann, "/v1/sessions/away/calls", plan(8, 0.25), 202);
  unsigned progress = 0;
  auto seen = follow("ann", "away", "0", [&](const OrderedJson& event) {
    return is(event, "progress") && ++progress == 2;
  });
  const auto manifest = post(*ann, "/v1/sessions/away/close", {{"pending", "detach"}}, 200);
  EXPECT_EQ(manifest["pending_calls"].size(), 1U) << manifest;
  EXPECT_EQ(ann->request("POST", "/v1/sessions/away/calls", to_text(plan(1, 0)))->status, 409);
  // It keeps running while no client is there.
  const std::string call = manifest["pending_calls"][0]["call_id"];
  EXPECT_TRUE(wait_for([&] {
    const auto answer = ann->request("GET", "/v1/calls/" + call);
    return answer && answer->json()["state"] == "completed";
  }));
  auto again = client("ann", 1);
  const auto restored = post(*again, "/v1/sessions/away/restore", OrderedJson::object(), 200);
  EXPECT_EQ(restored["state"], "open");
  EXPECT_EQ(restored["tools_changed"], false);
  ASSERT_EQ(restored["completions"].size(), 1U) << restored;
  EXPECT_EQ(restored["completions"][0]["call_id"], call);
  const std::string last = seen.back()["id"];
  const auto rest = follow(
      "ann", "away", last, [](const OrderedJson& event) { return is(event, "completed"); }, 1);
  seen.insert(seen.end(), rest.begin(), rest.end());
  std::vector<std::string> steps;
  for (const auto& event : seen)
    if (is(event, "progress")) steps.push_back(event["step"]);
  std::vector<std::string> expected;
  for (int i = 1; i <= 8; ++i) expected.push_back("step " + std::to_string(i));
  EXPECT_EQ(steps, expected);
  EXPECT_EQ(seen.back()["outcome"], "succeeded");
}

TEST_F(Scenarios, TwoUsersAtOnceAndNothingCrossed) {
  constexpr int kCalls = 100;
  const auto run = [](const std::string& user, unsigned gateway) {
    auto mine = client(user, gateway);
    open(*mine, "shared-name");
    std::promise<void> followed;
    auto events = std::async(std::launch::async, [&] {
      int completed = 0;
      return follow(
          user, "shared-name", "",
          [&](const OrderedJson& event) { return is(event, "completed") && ++completed == kCalls; },
          gateway, [&] { followed.set_value(); });
    });
    followed.get_future().wait();
    std::set<std::string> calls;
    for (int i = 0; i < kCalls; ++i)
      calls.insert(
          post(*mine, "/v1/sessions/shared-name/calls",
               {{"tool", "bench.echo"}, {"arguments", {{"payload", user + std::to_string(i)}}}},
               202)["call_id"]);
    std::set<std::string> completed;
    for (const auto& event : events.get()) {
      EXPECT_TRUE(calls.contains(event["call_id"])) << event;
      if (!is(event, "completed")) continue;
      completed.insert(event["call_id"]);
      EXPECT_TRUE(event["result"]["payload"].get<std::string>().starts_with(user)) << event;
    }
    EXPECT_EQ(completed, calls);
    return calls;
  };
  auto bob = std::async(std::launch::async, [&] { return run("bob", 1); });
  const auto of_ann = run("ann2", 0);
  const auto of_bob = bob.get();
  auto ann = client("ann2", 1);
  for (const auto& call : of_bob) EXPECT_EQ(ann->request("GET", "/v1/calls/" + call)->status, 404);
  const auto box = ann->request("GET", "/v1/sessions/shared-name/completions?limit=1000")->json();
  EXPECT_EQ(box["completions"].size(), of_ann.size());
  for (const auto& entry : box["completions"])
    EXPECT_TRUE(of_ann.contains(entry["call_id"])) << entry;
}

TEST_F(Scenarios, TheViewOfASessionsStateIsWrittenAndReadBack) {
  auto ann = client("ann");
  open(*ann, "viewed");
  const auto call = post(
      *ann, "/v1/sessions/viewed/calls",
      {{"tool", "calculate_sum"}, {"arguments", {{"numbers", {20, 22}}}}, {"tool_call_id", "tc-1"}},
      200, {{"Prefer", "wait=30"}});
  post(*ann, "/v1/sessions/viewed/close", OrderedJson::object(), 200);  // by then it is recorded
  auto database = persistence::postgres::PgConnection::open(dev_->ready()["postgres"]);
  ASSERT_TRUE(database) << database.error().message;
  const auto rows = database->execute(
      "SELECT namespace, user_id, tool_results::text AS results, last_updated >= created_at AS grew "
      "FROM session_tool_state WHERE session_id = $1 ORDER BY namespace",
      {"viewed"});
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 3U);
  const auto& row = (*rows)[1];
  EXPECT_EQ(row.get<std::string>("namespace"), "examples");
  EXPECT_EQ(row.get<std::string>("user_id"), "ann");
  EXPECT_TRUE(row.get<bool>("grew"));
  const auto results = *parse_json(row.get<std::string>("results"));
  EXPECT_EQ(results["namespace"], "examples");
  EXPECT_EQ(results["available_tools"], Json({"calculate_sum"}));
  ASSERT_EQ(results["completed_calls"].size(), 1U) << results;
  const auto& completed = results["completed_calls"][0];
  EXPECT_EQ(completed["metadata"]["name"], "calculate_sum");
  EXPECT_EQ(completed["metadata"]["id"], "tc-1");
  EXPECT_EQ(completed["metadata"]["call_id"], call["call_id"].get<std::string>());
  EXPECT_EQ(completed["metadata"]["is_async"], false);
  EXPECT_EQ(completed["result"]["Ok"], 42);
}

}  // namespace
}  // namespace toolway::cli
