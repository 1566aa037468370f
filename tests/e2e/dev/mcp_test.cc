// MCP servers of a whole stack: what they offer reaches agents, and calls reach them.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

/// A stack with the scripted server, and a session that sees its tools.
class McpStack : public testing::Test {
 protected:
  void start(const std::string& more_servers = {}, const std::string& workers = "2") {
    std::ofstream(dir / "mcp.yaml")
        << "scripted:\n  command: [python3, " TOOLWAY_SOURCE_DIR
           "/tests/support/mcp/scripted_server.py, --bad-tools, --record, "
        << dir / "record"
        << "]\n"
           "  restart_delay_ms: 50\n  defaults: {idempotent: true}\n"
        << more_servers;
    dev = std::make_unique<Dev>(dir, std::vector<std::string>{"--workers", workers, "--set",
                                                              "mcp.servers=" + (dir / "mcp.yaml")});
    auto made = client::HttpClient::create({.url = dev->url(), .user = "e2e"});
    ASSERT_TRUE(made) << dev->log();
    client = *std::move(made);
    ASSERT_TRUE(wait_for([this] { return offers("scripted", "echo"); })) << dev->log();
    ASSERT_TRUE(client->request("POST", "/v1/sessions",
                                R"({"session_id":"s","namespaces":["scripted","second"]})"));
  }
  bool offers(const std::string& ns, const std::string& name) {
    auto answer = client->request("GET", "/v1/tools");
    if (!answer || !answer->ok()) return false;
    const auto body = answer->json();
    for (const auto& tool : body["tools"]) {
      if (tool["namespace"] == ns && tool["name"] == name) return true;
    }
    return false;
  }
  /// The whole completion.
  OrderedJson call(const std::string& tool, const OrderedJson& arguments = OrderedJson::object()) {
    const OrderedJson body{{"tool", tool}, {"arguments", arguments}};
    auto answer =
        client->request("POST", "/v1/sessions/s/calls", to_text(body), {{"Prefer", "wait=30"}});
    if (!answer) return {{"outcome", answer.error().message}};
    return answer->json();
  }
  /// Accepted, and not waited for.
  std::string begin(const std::string& tool, const OrderedJson& arguments = OrderedJson::object()) {
    auto answer = client->request("POST", "/v1/sessions/s/calls",
                                  to_text(OrderedJson{{"tool", tool}, {"arguments", arguments}}));
    return answer && answer->status == 202 ? answer->json().value("call_id", "") : "";
  }
  OrderedJson ended(const std::string& call_id) {
    OrderedJson shown;
    EXPECT_TRUE(wait_for(
        [&] {
          shown = shown_call(dev->url(), call_id);
          return shown.is_object() && shown.value("state", "") == "completed";
        },
        60s))
        << shown.dump();
    return shown;
  }
  bool seen(const std::string& event) {
    return text_of(dir / "record").find("\"event\": \"" + event + "\"") != std::string::npos;
  }

  const test::TempDir dir;
  std::unique_ptr<Dev> dev;
  std::unique_ptr<client::HttpClient> client;
};

TEST_F(McpStack, OffersWhatTheServerHasAndFollowsItsChanges) {
  start({}, "1");
  EXPECT_FALSE(offers("scripted", "bad_schema"));
  EXPECT_TRUE(offers("scripted", "with_dots_and_spaces"));
  EXPECT_EQ(call("with_dots_and_spaces")["result"], "with.dots and spaces ran");
  const auto shown = run_toolway(dir, {"tools", "--url", dev->url()});
  EXPECT_NE(shown.output.find("echo"), std::string::npos) << shown.output;
  const auto changed = Steady::now();
  EXPECT_EQ(call("change", {{"names", {"brand_new"}}})["result"], "changed");
  EXPECT_TRUE(wait_for([this] { return offers("scripted", "brand_new"); }));
  EXPECT_LT(Steady::now() - changed, 5s);
  EXPECT_EQ(call("brand_new")["result"], "brand_new ran");
  // Tools of servers may report progress, and a model gets their results all the same.
  const auto answer = client->request(
      "POST", "/v1/sessions/s/tool_calls?format=openai",
      R"({"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"scripted__echo","arguments":"{\"text\":\"hello\"}"}}]})");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->json()["calls"][0]["status"], "completed") << answer->body;
  EXPECT_EQ(answer->json()["messages"][0]["content"], "hello") << answer->body;
}

TEST_F(McpStack, ResultsKeepTheirForm) {
  start();
  EXPECT_EQ(call("echo", {{"text", "hi"}})["result"], "hi");
  EXPECT_EQ(call("add", {{"a", 1}, {"b", 2}})["result"], (OrderedJson{{"sum", 3}}));
  EXPECT_EQ(call("wrong_sum")["error"]["code"], "invalid_result");
  const auto picture = call("picture");
  EXPECT_EQ(picture["outcome"], "succeeded") << picture.dump();
  ASSERT_EQ(picture["content"].size(), 2U);
  EXPECT_EQ(picture["content"][1]["type"], "image");
  EXPECT_EQ(picture["content"][1]["mime_type"], "image/png");
  EXPECT_EQ(picture["content"][1]["data"], picture["result"]["content"][1]["data"]);
  const auto blocks = call("blocks");
  EXPECT_EQ(blocks["content"][1]["uri"], "file:///a");
  EXPECT_EQ(blocks["content"][2]["text"], "inside");
  const auto failed = call("fails", {{"text", "no luck"}});
  EXPECT_EQ(failed["outcome"], "failed");
  EXPECT_EQ(failed["error"]["code"], "mcp_tool_error");
  EXPECT_EQ(failed["error"]["message"], "no luck");
  EXPECT_EQ(call("refuses")["error"]["code"], "mcp_refused");
  EXPECT_EQ(call("refuses", {{"any", 1}})["error"]["details"]["code"], -32602);
}

TEST_F(McpStack, LargeResultsAndPicturesArriveWhole) {
  start();
  const auto text = call("big_text", {{"bytes", 3'000'000}});
  ASSERT_TRUE(text["result_ref"].is_object()) << text.dump().substr(0, 300);
  EXPECT_EQ(text["result_ref"]["size"], 3'000'002);
  const auto picture = call("picture", {{"bytes", 2'000'000}});
  ASSERT_TRUE(picture["result_ref"].is_object());
  EXPECT_EQ(picture["content"][1]["type"], "image");
  EXPECT_FALSE(picture["content"][1].contains("data")) << "too large to travel with its result";
  const auto whole =
      run_toolway(dir, {"calls", "result", picture["call_id"].get<std::string>(), "-O",
                        dir / "picture.json", "--url", dev->url(), "--user", "e2e"});
  EXPECT_EQ(whole.status, 0) << whole.output;
  EXPECT_GT(parse_json(text_of(dir / "picture.json"))
                ->at("content")
                .at(1)
                .at("data")
                .get<std::string>()
                .size(),
            2'600'000U);
}

TEST_F(McpStack, ProgressIsSeenLiveAndCancelReachesTheServer) {
  start();
  const auto steps = call("steps", {{"count", 5}});
  EXPECT_EQ(steps["result"], "done");
  auto events =
      client->request("GET", "/v1/calls/" + steps["call_id"].get<std::string>() + "/events", "",
                      {{"Accept", "application/json"}});
  ASSERT_TRUE(events);
  EXPECT_NE(events->body.find("\"progress\""), std::string::npos) << events->body;
  EXPECT_NE(events->body.find("step"), std::string::npos);
  const auto waiting = begin("waits");
  ASSERT_FALSE(waiting.empty());
  ASSERT_TRUE(wait_for(
      [this] { return text_of(dir / "record").find("\"name\": \"waits\"") != std::string::npos; }));
  ASSERT_TRUE(client->request("POST", "/v1/calls/" + waiting + "/cancel"));
  EXPECT_EQ(ended(waiting)["outcome"], "cancelled");
  EXPECT_TRUE(wait_for([this] { return seen("cancelled"); }));
}

TEST_F(McpStack, AKilledServerIsBackWithinTwoSeconds) {
  start();
  // Each of the two workers has a process of its own.
  const auto pid = std::stoi(call("pid")["result"].get<std::string>());
  const auto killed = Steady::now();
  kill(pid, SIGKILL);
  std::vector<std::string> calls;
  for (int i = 0; i < 10; ++i) calls.push_back(begin("echo", {{"text", "after"}}));
  for (const auto& one : calls) EXPECT_EQ(ended(one)["outcome"], "succeeded");
  EXPECT_LT(Steady::now() - killed, 2s);
}

TEST_F(McpStack, ToolsOfAServerWhoseWorkersAreGoneStayOffered) {
  start();
  const auto ready = dev->ready();
  for (const auto& pid : ready["pids"]["worker"]) kill(pid.get<int>(), SIGKILL);
  // What is handed to a worker that is dying comes again after 6 s only.
  for (const auto& pid : ready["pids"]["worker"])
    EXPECT_TRUE(wait_for([&] { return kill(pid.get<int>(), 0) != 0; }));
  EXPECT_TRUE(offers("scripted", "echo"));
  const auto waiting = begin("echo", {{"text", "patience"}});
  EXPECT_EQ(ended(waiting)["result"], "patience") << "run when a worker is back";
}

TEST_F(McpStack, OneBadServerDoesNotTroubleTheOthers) {
  start("second:\n  command: [python3, " TOOLWAY_SOURCE_DIR
        "/tests/support/mcp/scripted_server.py, --revision, \"2026-07-28\"]\n"
        "third:\n  command: [/no/such/program]\n");
  ASSERT_TRUE(wait_for([this] { return offers("second", "echo"); }));
  EXPECT_EQ(call("second.echo", {{"text", "two"}})["result"], "two");
  EXPECT_EQ(call("scripted.echo", {{"text", "one"}})["result"], "one");
}

TEST(McpCheck, SaysWhatEachServerOffers) {
  const test::TempDir dir;
  std::ofstream(dir / "mcp.yaml")
      << "good:\n  command: [python3, " TOOLWAY_SOURCE_DIR
         "/tests/support/mcp/scripted_server.py, --bad-tools]\n"
         "bad:\n  command: [python3, -c, \"exit(4)\"]\n  start_timeout_ms: 1000\n";
  const auto ran = run_toolway(dir, {"mcp", "check", dir / "mcp.yaml"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.output.find("revision 2025-11-25"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("good.echo"), std::string::npos);
  EXPECT_NE(ran.output.find("bad_schema"), std::string::npos);
  EXPECT_NE(ran.output.find("failed bad: "), std::string::npos);
  EXPECT_NE(ran.output.find("exited with status 4"), std::string::npos);
  std::ofstream(dir / "wrong.yaml") << "a:\n  command: x\n";
  EXPECT_NE(run_toolway(dir, {"mcp", "check", dir / "wrong.yaml"}).output.find("wrong.yaml:2:"),
            std::string::npos);
}

}  // namespace
}  // namespace toolway::cli
