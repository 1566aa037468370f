#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <set>
#include <sstream>

#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

/// The client verbs against one stack.
class Verbs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new test::TempDir;
    dev_ = new Dev(*dir_);
  }
  static void TearDownTestSuite() {
    delete dev_;
    delete dir_;
  }
  Ran toolway(std::vector<std::string> arguments) const {
    return run_toolway(*dir_, std::move(arguments),
                       {{"TOOLWAY_URL", dev_->url()}, {"TOOLWAY_USER", "ann"}});
  }
  static inline test::TempDir* dir_ = nullptr;
  static inline Dev* dev_ = nullptr;
};

TEST_F(Verbs, ToolsOfTheFleetAndOfASession) {
  std::set<std::string> names;
  const auto all = toolway({"tools", "-o", "json"}).json();
  for (const auto& tool : all["tools"]) names.insert(tool["name"].get<std::string>());
  EXPECT_TRUE(names.contains("get_current_time") && names.contains("hash_file"));
  EXPECT_EQ(toolway({"session", "open", "timely", "-n", "time"}).status, 0);
  const auto few = toolway({"tools", "--session", "timely", "-o", "json"});
  ASSERT_EQ(few.json()["tools"].size(), 1U) << few.output;
  EXPECT_EQ(few.json()["tools"][0]["namespace"], "time");
  EXPECT_NE(toolway({"tools"}).output.find("time.get_current_time"), std::string::npos);
}

TEST_F(Verbs, SessionOpenShowAndList) {
  const auto opened = toolway(
      {"session", "open", "s1", "-n", "time,filesystem", "--metadata", R"({"a":1})", "-o", "json"});
  EXPECT_EQ(opened.status, 0);
  EXPECT_EQ(opened.json()["session_id"], "s1") << opened.output;
  EXPECT_EQ(opened.json()["metadata"]["a"], 1);
  const auto shown = toolway({"session", "show", "s1", "-o", "json"});
  EXPECT_EQ(shown.json()["state"], "open") << shown.output;
  EXPECT_EQ(shown.json()["namespaces"], OrderedJson({"filesystem", "time"}));
  EXPECT_TRUE(wait_for([&] {
    const auto listed = toolway({"session", "list", "-o", "json"}).json();
    for (const auto& session : listed["sessions"])
      if (session["session_id"] == "s1") return true;
    return false;
  }));
  EXPECT_EQ(toolway({"session", "show", "nobody"}).status, 3);
}

TEST_F(Verbs, ASessionGainsNamespaces) {
  EXPECT_EQ(toolway({"session", "open", "gains", "-n", "time"}).status, 0);
  EXPECT_EQ(toolway({"call", "hash_file", R"({"path":"README.md"})", "--session", "gains"}).status,
            3);
  const auto added =
      toolway({"session", "add-namespaces", "gains", "-n", "filesystem,tiem", "-o", "json"});
  EXPECT_EQ(added.status, 0) << added.output;
  EXPECT_NE(added.output.find("did you mean 'time'?"), std::string::npos) << added.output;
  EXPECT_EQ(toolway({"call", "hash_file", R"({"path":"README.md"})", "--session", "gains"}).status,
            0);
  EXPECT_EQ(toolway({"session", "add-namespaces", "nobody", "-n", "time"}).status, 3);
  EXPECT_EQ(toolway({"session", "add-namespaces", "gains"}).status, 2);
  const auto conflict = toolway({"session", "open", "gains", "-n", "time,text"});
  EXPECT_EQ(conflict.status, 3);
  EXPECT_NE(conflict.output.find("toolway session add-namespaces gains -n NAMESPACE"),
            std::string::npos)
      << conflict.output;
}

TEST_F(Verbs, ASessionIsDeletedAfterAQuestion) {
  EXPECT_EQ(toolway({"session", "open", "doomed", "-n", "bench"}).status, 0);
  const auto unasked = toolway({"session", "delete", "doomed"});  // no terminal to ask on
  EXPECT_EQ(unasked.status, 2);
  EXPECT_NE(unasked.output.find("toolway session delete doomed --yes"), std::string::npos)
      << unasked.output;
  EXPECT_EQ(toolway({"call", "bench.work", "wait_ms=60000", "--session", "doomed"}).status, 0);
  const auto busy = toolway({"session", "delete", "doomed", "--yes"});
  EXPECT_EQ(busy.status, 3);
  EXPECT_NE(busy.output.find("toolway session delete doomed --cancel"), std::string::npos)
      << busy.output;
  const auto gone = toolway({"session", "delete", "doomed", "--cancel", "--yes"});
  EXPECT_EQ(gone.status, 0) << gone.output;
  EXPECT_NE(gone.output.find("doomed deleted, with 1 call\n"), std::string::npos) << gone.output;
  EXPECT_EQ(toolway({"session", "show", "doomed"}).status, 3);
  EXPECT_EQ(toolway({"session", "delete", "doomed", "--yes"}).status, 3);
}

TEST_F(Verbs, AMistypedPoolOrNamespaceIsAnError) {
  // Workers announce themselves every two seconds.
  EXPECT_TRUE(wait_for([&] { return toolway({"workers", "--pool", "native"}).status == 0; }));
  const auto pool = toolway({"workers", "--pool", "natve"});
  EXPECT_EQ(pool.status, 3);
  EXPECT_NE(pool.output.find("no worker serves pool 'natve'"), std::string::npos) << pool.output;
  EXPECT_NE(pool.output.find("did you mean 'native'?"), std::string::npos) << pool.output;
  const auto ns = toolway({"tools", "-n", "filesytem"});
  EXPECT_EQ(ns.status, 3);
  EXPECT_NE(ns.output.find("did you mean 'filesystem'?"), std::string::npos) << ns.output;
}

TEST_F(Verbs, ASessionWithoutToolsSaysSo) {
  const auto nothing = toolway({"session", "open", "nothing"});
  EXPECT_EQ(nothing.status, 0);
  EXPECT_NE(nothing.output.find("\ntools           0\n"), std::string::npos) << nothing.output;
  EXPECT_NE(
      nothing.output.find(
          "warning: the session has no tools: no tool is in namespace default; the fleet has tools in "),
      std::string::npos)
      << nothing.output;
  const auto mistyped = toolway({"session", "open", "mistyped", "-n", "time,filesytem"});
  EXPECT_NE(mistyped.output.find("no tool is in namespace filesytem (did you mean 'filesystem'?)"),
            std::string::npos)
      << mistyped.output;
  const auto all = toolway({"session", "open", "all", "-n", "*", "-o", "json"}).json();
  EXPECT_EQ(all["warnings"], OrderedJson::array());
  const auto fleet = toolway({"tools", "-o", "json"}).json()["tools"];
  const auto benchmark =
      std::ranges::count_if(fleet, [](const auto& tool) { return tool["namespace"] == "bench"; });
  EXPECT_GT(benchmark, 0);
  EXPECT_EQ(all["tools"].size() + static_cast<std::size_t>(benchmark), fleet.size())
      << "what is there for benchmarks is offered to sessions that name it";
  EXPECT_EQ(toolway({"tools"}).output.find("bench."), std::string::npos);
  EXPECT_NE(toolway({"tools", "-n", "bench"}).output.find("bench.work"), std::string::npos);
  const auto elsewhere =
      toolway({"call", "hash_file", R"({"path":"README.md"})", "--session", "mistyped2"});
  EXPECT_EQ(elsewhere.status, 0) << "a session that `call` opens sees everything\n"
                                 << elsewhere.output;
  EXPECT_EQ(toolway({"session", "open", "timely2", "-n", "time"}).status, 0);
  const auto unseen = toolway({"call", "filesystem.hash_file", "{}", "--session", "timely2"});
  EXPECT_EQ(unseen.status, 3);
  EXPECT_NE(
      unseen.output.find("the fleet has filesystem.hash_file, but this session sees only time"),
      std::string::npos)
      << unseen.output;
}

TEST_F(Verbs, AWaitThatHasEndedIsNotASuccess) {
  const auto over = toolway({"call", "bench.work", R"({"wait_ms":60000})", "--session", "slow",
                             "--wait", "--timeout", "1"});
  EXPECT_EQ(over.status, 6) << over.output;
  EXPECT_NE(over.output.find("toolway: still running after 1 s\n  show it: toolway calls show "),
            std::string::npos)
      << over.output;
  const auto as_json = toolway({"call", "bench.work", R"({"wait_ms":60000})", "--session", "slow",
                                "--wait", "--timeout", "1", "-o", "json"});
  EXPECT_EQ(as_json.status, 6);
  EXPECT_NE(as_json.output.find("\"call_id\""), std::string::npos) << as_json.output;
  EXPECT_EQ(toolway({"call", "bench.work", R"({"wait_ms":1500})", "--session", "slow", "--wait",
                     "--timeout", "30"})
                .status,
            0);
  EXPECT_EQ(toolway({"session", "close", "slow", "--pending", "cancel"}).status, 0);
}

TEST_F(Verbs, CtrlCSaysHowToCancelWhatRunsOn) {
  const auto log = *dir_ / "waiting";
  auto waiting = local::ChildProcess::start(
      {.argv = {TOOLWAY_PROGRAM, "call", "bench.work", R"({"wait_ms":60000})", "--session", "left",
                "--wait", "--url", dev_->url(), "--user", "ann"},
       .log_file = log});
  ASSERT_TRUE(waiting) << waiting.error().message;
  std::string id;
  ASSERT_TRUE(wait_for([&] {
    const auto listed = toolway({"calls", "list", "left", "--state", "running", "-o", "json"});
    const auto calls = listed.status == 0 ? listed.json()["calls"] : OrderedJson::array();
    if (!calls.empty()) id = calls[0]["call_id"].get<std::string>();
    return !id.empty();
  }));
  (*waiting)->signal(SIGINT);
  EXPECT_EQ((*waiting)->wait(std::chrono::seconds(20)), 130);
  EXPECT_NE(text_of(log).find("still running\n  show it: toolway calls show " + id +
                              "\n  end it: toolway calls cancel " + id + "\n"),
            std::string::npos)
      << text_of(log);
  EXPECT_EQ(toolway({"calls", "cancel", id}).status, 0);
}

TEST_F(Verbs, AWaitOutlivesItsGateway) {
  const auto log = *dir_ / "outliving";
  const auto gateway = dev_->pid_of("gateway");
  auto waiting = local::ChildProcess::start(
      {.argv = {TOOLWAY_PROGRAM, "call", "bench.work", R"({"wait_ms":5000})", "--session",
                "outliving", "--wait", "--url", dev_->url(), "--user", "ann"},
       .log_file = log});
  ASSERT_TRUE(waiting) << waiting.error().message;
  ASSERT_TRUE(wait_for([&] {
    const auto listed = toolway({"calls", "list", "outliving", "--state", "running", "-o", "json"});
    return listed.status == 0 && !listed.json()["calls"].empty();
  }));
  ::kill(gateway, SIGTERM);
  EXPECT_EQ((*waiting)->wait(std::chrono::seconds(60)), 0) << text_of(log);
  EXPECT_TRUE(wait_for([&] { return toolway({"tools"}).status == 0; }));
}

TEST_F(Verbs, LogoutLoginAndTheMailbox) {
  EXPECT_EQ(toolway({"session", "open", "box", "-n", "time"}).status, 0);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(toolway({"call", "get_current_time", "--session", "box", "--wait"}).status, 0);
  const auto closed = toolway({"session", "close", "box"});
  EXPECT_EQ(closed.status, 0);
  EXPECT_NE(
      closed.output.find("box closed (wait): 0 queued, 0 running, 0 held, 2 completed, 2 unread"),
      std::string::npos)
      << closed.output;
  EXPECT_EQ(toolway({"session", "close", "box", "-o", "json"}).json()["completed_calls"].size(),
            2U);
  EXPECT_EQ(toolway({"call", "get_current_time", "--session", "box", "--wait"}).status, 3);
  const auto restored = toolway({"session", "restore", "box"});
  EXPECT_EQ(restored.status, 0);
  EXPECT_NE(restored.output.find("box open, 1 tools\n"), std::string::npos) << restored.output;
  EXPECT_NE(restored.output.find("time.get_current_time"), std::string::npos) << restored.output;
  EXPECT_EQ(toolway({"mailbox", "box", "--limit", "1", "--ack", "-o", "json"})
                .json()["completions"]
                .size(),
            1U);
  EXPECT_EQ(toolway({"mailbox", "box", "-o", "json"}).json()["completions"].size(), 1U);
  EXPECT_NE(toolway({"mailbox", "box", "--ack"}).output.find("succeeded"), std::string::npos);
  EXPECT_TRUE(toolway({"mailbox", "box", "-o", "json"}).json()["completions"].empty());
  EXPECT_EQ(toolway({"mailbox", "box", "--after", "0", "-o", "json"}).json()["completions"].size(),
            2U);
  EXPECT_EQ(toolway({"session", "close", "nobody"}).status, 3);
}

TEST_F(Verbs, ACallRestoresTheSessionThatItOpensItself) {
  EXPECT_EQ(toolway({"call", "get_current_time", "--wait"}).status, 0);
  EXPECT_EQ(toolway({"session", "close", "cli"}).status, 0);
  const auto called = toolway({"call", "get_current_time", "--wait"});
  EXPECT_EQ(called.status, 0) << called.output;
  EXPECT_NE(called.output.find("session cli was closed, and is restored"), std::string::npos)
      << called.output;
  EXPECT_EQ(toolway({"session", "show", "cli", "-o", "json"}).json()["state"], "open");
}

TEST_F(Verbs, CallsAreWaitedForListedAndShown) {
  const auto called =
      toolway({"call", "get_current_time", R"({"timezone":"Asia/Tokyo"})", "--session", "c1",
               "--tool-call-id", "call_1", "--wait", "-o", "json"});
  EXPECT_EQ(called.status, 0);
  const auto call = called.json();
  ASSERT_TRUE(call.is_object()) << called.output;
  EXPECT_EQ(call["status"], "completed");
  EXPECT_EQ(call["outcome"], "succeeded");
  EXPECT_EQ(call["result"]["timezone"], "Asia/Tokyo");
  const auto id = call["call_id"].get<std::string>();
  const auto shown = toolway({"calls", "show", id, "-o", "json"});
  EXPECT_EQ(shown.json()["tool_call_id"], "call_1") << shown.output;
  EXPECT_TRUE(wait_for([&] {
    const auto listed =
        toolway({"calls", "list", "c1", "--state", "completed", "-o", "json"}).json();
    return listed["calls"].size() == 1 && listed["calls"][0]["call_id"] == id;
  }));
  EXPECT_NE(toolway({"calls", "list", "c1"}).output.find("time.get_current_time"),
            std::string::npos);
}

TEST_F(Verbs, ExitStatusSaysHowItEnded) {
  EXPECT_EQ(toolway({"call", "read_file", R"({"path":"no/such/file"})", "--wait"}).status, 5);
  const auto unknown = toolway({"call", "get_curent_time"});
  EXPECT_EQ(unknown.status, 3);
  EXPECT_NE(unknown.output.find("did you mean 'time.get_current_time'?"), std::string::npos)
      << unknown.output;
  const auto refused = toolway({"call", "get_current_time", R"({"timezone":42})"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_NE(refused.output.find("\n  timezone: expected string"), std::string::npos)
      << refused.output;
  EXPECT_EQ(toolway({"call", "get_current_time", "{not json"}).status, 2);
  EXPECT_EQ(toolway({"call"}).status, 2);
  EXPECT_EQ(toolway({"no-such-verb"}).status, 2);
  EXPECT_EQ(toolway({"calls", "show", "01890a5d-ac96-774b-bcce-b302099a8057"}).status, 3);
  EXPECT_EQ(toolway({"tools", "--url", "http://127.0.0.1:1"}).status, 4);
  EXPECT_EQ(toolway({"--help"}).status, 0);
}

TEST_F(Verbs, WatchShowsEveryEventFromTheFirst) {
  EXPECT_EQ(toolway({"call", "get_current_time", "--session", "w1", "--wait"}).status, 0);
  const auto followed =
      toolway({"call", "hash_file", R"({"path":"README.md"})", "--session", "w1", "--follow"});
  EXPECT_EQ(followed.status, 0) << followed.output;
  const auto events = *dir_ / "watched";
  auto watch =
      local::ChildProcess::start({.argv = {TOOLWAY_PROGRAM, "watch", "w1", "--after", "0", "--url",
                                           dev_->url(), "--user", "ann", "-o", "json"},
                                  .log_file = events});
  ASSERT_TRUE(watch) << watch.error().message;
  std::vector<std::string> seen;
  EXPECT_TRUE(wait_for([&] {
    seen.clear();
    std::istringstream lines(text_of(events));
    for (std::string line; std::getline(lines, line);)
      if (auto event = parse_json(line))
        seen.push_back(event->value("tool", "") + " " + event->value("type", ""));
    return !seen.empty() && seen.back() == "hash_file completed";
  })) << text_of(events);
  (*watch)->signal(SIGINT);
  ASSERT_GE(seen.size(), 4U);
  EXPECT_EQ(seen[0], "get_current_time started");
  EXPECT_EQ(seen[1], "get_current_time completed");
  EXPECT_EQ(seen[2], "hash_file started");
}

}  // namespace
}  // namespace toolway::cli
