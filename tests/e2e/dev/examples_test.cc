#include <gtest/gtest.h>

#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

/// The tools of examples/tools, as their README has them started and called.
class Examples : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new test::TempDir;
    const std::string examples = TOOLWAY_SOURCE_DIR "/examples/tools";
    dev_ = new Dev(*dir_, {"--specs", examples, "--python-path", examples});
  }
  static void TearDownTestSuite() {
    delete dev_;
    delete dir_;
  }
  Ran toolway(std::vector<std::string> arguments) const {
    return run_toolway(*dir_, std::move(arguments),
                       {{"TOOLWAY_URL", dev_->url()}, {"TOOLWAY_USER", "ann"}});
  }
  OrderedJson call(const std::string& tool, const OrderedJson& arguments,
                   const std::string& session = "examples") const {
    const auto ran = toolway({"call", "examples." + tool, to_text(arguments), "--session", session,
                              "--wait", "-o", "json"});
    const auto shown = ran.json();
    EXPECT_TRUE(shown.is_object()) << ran.output;
    return shown;
  }
  std::unique_ptr<client::HttpClient> client(const std::string& user = "ann") const {
    return std::move(*client::HttpClient::create({.url = dev_->url(), .user = user}));
  }
  /// A call of a tool that requires approval, which another user gives.
  OrderedJson approved(const std::string& tool, const OrderedJson& arguments) const {
    const auto held = toolway({"call", "examples." + tool, to_text(arguments), "--session",
                               "examples", "-o", "json"})
                          .json();
    EXPECT_EQ(held["status"], "awaiting_approval") << held;
    const auto path = "/v1/calls/" + held["call_id"].get<std::string>();
    EXPECT_EQ(client()->request("POST", path + "/approve", "{}")->status, 403);
    EXPECT_EQ(client("bea")->request("POST", path + "/approve", "{}")->status, 200);
    OrderedJson shown;
    EXPECT_TRUE(wait_for([&] {
      shown = client()->request("GET", path)->json();
      return shown["state"] == "completed";
    }));
    return shown;
  }
  static inline test::TempDir* dir_ = nullptr;
  static inline Dev* dev_ = nullptr;
};

// examples/agents: a call that reports progress and ends in time is answered at once, and the
// result of one that does not comes later.
TEST_F(Examples, TheAgentLoopGetsLateResults) {
  const auto log = *dir_ / "agent.log";
  auto loop = local::ChildProcess::start(
      {.argv = {"python3", TOOLWAY_SOURCE_DIR "/tests/e2e/dev/agent_loop.py",
                TOOLWAY_SOURCE_DIR "/examples/agents", dev_->url()},
       .log_file = log});
  ASSERT_TRUE(loop) << loop.error().message;
  ASSERT_EQ((*loop)->wait(std::chrono::seconds(60)), 0) << text_of(log);
  const auto said = parse_ordered_json(text_of(log));
  ASSERT_TRUE(said) << text_of(log);
  std::vector<std::string> turns;
  for (const auto& message : *said) {
    const auto content =
        message["content"].is_string() ? message["content"].get<std::string>() : "";
    turns.push_back(message["role"].get<std::string>() + ": " +
                    content.substr(0, content.find_first_of(",\n")));
  }
  ASSERT_EQ(turns.size(), 8U) << text_of(log);
  EXPECT_EQ(turns[1], "assistant: ");
  EXPECT_EQ((*said)[2]["tool_call_id"], "call_quick");
  EXPECT_EQ((*said)[2]["content"].get<std::string>().find("\"status\""), std::string::npos)
      << "its result, not an acknowledgement";
  EXPECT_NE((*said)[3]["content"].get<std::string>().find("\"status\": \"streaming\""),
            std::string::npos);
  EXPECT_EQ(turns[4].substr(0, 24), "tool: tool_error: unknow");
  EXPECT_EQ(turns[5], "assistant: I wait for the slow one.");
  EXPECT_EQ(turns[6], "user: The call call_slow of bench.work");
  EXPECT_EQ(turns[7], "assistant: Both are done.");
}

TEST_F(Examples, APythonFunctionReturns) {
  const auto called = call("calculate_sum", {{"numbers", {1, 2, 3.5}}});
  EXPECT_EQ(called["outcome"], "succeeded") << called;
  EXPECT_EQ(called["result"], 6.5);
  EXPECT_EQ(call("calculate_sum", {{"numbers", OrderedJson::array()}})["result"], 0);
}

TEST_F(Examples, ArgumentsThatDoNotFitAreRefused) {
  const auto refused = toolway({"call", "examples.calculate_sum", R"({"numbers":["one"]})",
                                "--session", "examples", "--wait"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_NE(refused.output.find("  numbers/0: "), std::string::npos) << refused.output;
}

TEST_F(Examples, AGeneratorReportsEachRow) {
  const auto called = call("zones_by_country", {{"country", "de"}});
  ASSERT_EQ(called["outcome"], "succeeded") << called;
  EXPECT_EQ(called["result"]["country"], "DE");
  EXPECT_GE(called["result"]["zones"], 1);
  const auto page =
      client()->request("GET", "/v1/calls/" + called["call_id"].get<std::string>() + "/events", "",
                        {{"accept", "application/json"}});
  ASSERT_TRUE(page);
  EXPECT_NE(page->body.find("Europe/Berlin"), std::string::npos) << page->body;
  const auto nowhere = call("zones_by_country", {{"country", "ZZ"}});
  EXPECT_EQ(nowhere["error"]["code"], "unknown_country") << nowhere;
}

TEST_F(Examples, APlanStopsAtAFailedStepOrContinues) {
  const OrderedJson steps = {{{"name", "sum"}, {"action", "add"}, {"values", {1, 2}}},
                             {{"name", "break"}, {"action", "fail"}},
                             {{"name", "product"}, {"action", "multiply"}, {"values", {3, 4}}}};
  const auto stopped = call("forge_execute", {{"plan", {{"steps", steps}}}, {"topic", "test"}});
  ASSERT_EQ(stopped["outcome"], "succeeded") << stopped;
  EXPECT_EQ(stopped["result"]["skipped"], 1);
  EXPECT_EQ(stopped["result"]["failed"], 1);
  const auto went_on =
      call("forge_execute", {{"plan", {{"steps", steps}, {"on_failure", "continue"}}}});
  EXPECT_EQ(went_on["result"]["completed"], 2) << went_on;
  EXPECT_EQ(went_on["result"]["results"][2]["result"], 12);
}

TEST_F(Examples, AWorkspaceLastsForTheSessionAndIsItsOwn) {
  const std::string text = "; rm -rf / && $(reboot) `x` *\nsecond line\n";
  EXPECT_EQ(call("write_file", {{"path", "notes.txt"}, {"content", text}})["outcome"], "succeeded");
  EXPECT_EQ(call("file_reader", {{"path", "notes.txt"}})["result"], text);
  EXPECT_EQ(call("file_reader", {{"path", "notes.txt"}}, "another")["outcome"], "failed");
  EXPECT_EQ(approved("dangerous_delete", {{"path", "*"}})["outcome"],
            "failed");  // no glob: there is no such file
  EXPECT_EQ(call("file_reader", {{"path", "notes.txt"}})["result"], text);
  EXPECT_EQ(approved("dangerous_delete", {{"path", "notes.txt"}})["outcome"], "succeeded");
  EXPECT_EQ(call("file_reader", {{"path", "notes.txt"}})["outcome"], "failed");
}

TEST_F(Examples, ACommandIsWordsAndNoShell) {
  EXPECT_EQ(call("execute_command", {{"argv", {"printf", "%s|%s", "a b", "$HOME"}}})["result"],
            "a b|$HOME");
  EXPECT_EQ(call("execute_command", {{"line", R"(printf '%s|%s' "a b" $HOME)"}})["result"],
            "a b|$HOME");
  EXPECT_EQ(call("execute_command", {{"line", "cat /etc/shadow"}})["outcome"], "failed");
  const auto both = toolway({"call", "examples.execute_command",
                             R"({"line":"true","argv":["true"]})", "--session", "examples"});
  EXPECT_EQ(both.status, 3) << both.output;
}

TEST_F(Examples, ALargeResultComesBackWhole) {
  const auto called = call("execute_command", {{"argv", {"seq", "1", "200000"}}});
  ASSERT_EQ(called["outcome"], "succeeded") << called;
  ASSERT_TRUE(called["result_ref"].is_object()) << called["result_ref"];
  const auto whole = client()->request("GET", called["result_ref"]["href"].get<std::string>());
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->body.size(), called["result_ref"]["size"].get<std::size_t>());
  const auto text = OrderedJson::parse(whole->body).get<std::string>();
  EXPECT_TRUE(text.starts_with("1\n2\n3\n"));
  EXPECT_TRUE(text.ends_with("\n200000\n") || text.ends_with("\n200000"));
}

TEST_F(Examples, AResultIsForItsUserAndForCallsThatHaveOne) {
  const auto failed = call("execute_command", {{"argv", {"false"}}});
  const auto none =
      client()->request("GET", "/v1/calls/" + failed["call_id"].get<std::string>() + "/result");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->status, 409);
  EXPECT_EQ(none->json()["code"], "no_result") << none->body;
  const auto succeeded = call("calculate_sum", {{"numbers", {1}}});
  const std::string href = "/v1/calls/" + succeeded["call_id"].get<std::string>() + "/result";
  const auto own = client()->request("GET", href);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->body, "1");
  const auto bob = *client::HttpClient::create({.url = dev_->url(), .user = "bob"});
  const auto others = bob->request("GET", href);
  ASSERT_TRUE(others);
  EXPECT_EQ(others->status, 404);
}

TEST_F(Examples, AModelsMessageIsAnsweredCallByCall) {
  const OrderedJson message = {
      {"role", "assistant"},
      {"tool_calls",
       {{{"id", "a"},
         {"type", "function"},
         {"function",
          {{"name", "examples__calculate_sum"}, {"arguments", R"({"numbers":[2,3]})"}}}},
        {{"id", "b"},
         {"type", "function"},
         {"function", {{"name", "examples__calculate_sum"}, {"arguments", "{broken"}}}},
        {{"id", "c"},
         {"type", "function"},
         {"function", {{"name", "examples__calculate_summ"}, {"arguments", "{}"}}}},
        {{"id", "d"},
         {"type", "function"},
         {"function",
          {{"name", "examples__zones_by_country"}, {"arguments", {{"country", "FR"}}}}}}}}};
  call("calculate_sum", {{"numbers", {1}}});  // opens the session
  const auto answer =
      client()->request("POST", "/v1/sessions/examples/tool_calls?format=openai", to_text(message));
  ASSERT_TRUE(answer && answer->status == 200) << (answer ? answer->body : answer.error().message);
  const auto messages = answer->json()["messages"];
  ASSERT_EQ(messages.size(), 4U) << answer->body;
  const char* const ids[] = {"a", "b", "c", "d"};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(messages[i]["tool_call_id"], ids[i]);
  EXPECT_EQ(messages[0]["content"], "5");
  EXPECT_TRUE(messages[1]["content"].get<std::string>().starts_with("tool_error: ")) << messages[1];
  EXPECT_NE(messages[2]["content"].get<std::string>().find("calculate_sum"), std::string::npos)
      << messages[2];
  // It reports progress, and a model gets its result all the same.
  EXPECT_NE(messages[3]["content"].get<std::string>().find("rows_read"), std::string::npos)
      << messages[3];
}

}  // namespace
}  // namespace toolway::cli
