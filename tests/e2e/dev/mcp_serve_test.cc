// `toolway mcp serve` between a client that speaks over stdin and stdout, and a running stack.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/os/file_descriptor.h"
#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

using namespace std::chrono_literals;

constexpr const char* kNewEra =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";

/// A client on a desktop: writes lines, and reads those that come.
class Desktop {
 public:
  Desktop(const std::string& dir, const std::string& name, const std::string& arguments)
      : out_(dir + "/" + name + ".out"), errors_(dir + "/" + name + ".err") {
    const auto in = dir + "/" + name + ".in";
    EXPECT_EQ(mkfifo(in.c_str(), 0600), 0);
    auto child = local::ChildProcess::start(
        {.argv = {"sh", "-c",
                  fmt::format("exec '{}' mcp serve {} < '{}' > '{}' 2> '{}'", TOOLWAY_PROGRAM,
                              arguments, in, out_, errors_)}});
    EXPECT_TRUE(child);
    process = *std::move(child);
    to_ = os::FileDescriptor(open(in.c_str(), O_WRONLY | O_CLOEXEC));
  }
  void say(const std::string& line) {
    const auto whole = line + "\n";
    EXPECT_EQ(write(to_.get(), whole.data(), whole.size()), std::ssize(whole));
  }
  void end_input() { to_.reset(); }

  std::vector<Json> lines() const {
    std::vector<Json> lines;
    const auto text = text_of(out_);
    for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos;
         at = end + 1) {
      auto json = parse_json(std::string_view(text).substr(at, end - at));
      EXPECT_TRUE(json) << "not a message: " << text.substr(at, end - at);
      if (json) lines.push_back(*std::move(json));
    }
    return lines;
  }
  /// Its answer to a request; waited for.
  Json answer(const Json& id, std::chrono::milliseconds timeout = 60s) const {
    Json found;
    EXPECT_TRUE(wait_for(
        [&] {
          for (const auto& line : lines())
            if (line.value("id", Json()) == id && !line.contains("method")) found = line;
          return !found.is_null();
        },
        timeout))
        << id.dump() << "\n"
        << text_of(out_) << text_of(errors_);
    return found;
  }
  /// What it is asked, so far.
  std::vector<Json> questions() const {
    auto all = lines();
    std::erase_if(
        all, [](const Json& line) { return line.value("method", "") != "elicitation/create"; });
    return all;
  }
  Json ask(const Json& id, const std::string& method, const std::string& params = "{}") {
    say(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{}}})", id.dump(), method,
                    params));
    return answer(id);
  }
  /// How often it was told so far.
  std::size_t told(const std::string& method) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        lines(), [&method](const Json& line) { return line.value("method", "") == method; }));
  }
  void shake_hands(const std::string& capabilities = "{}") {
    const auto opened = ask("hello", "initialize",
                            fmt::format(R"({{"protocolVersion":"2025-11-25","capabilities":{},)"
                                        R"("clientInfo":{{"name":"desktop","version":"1"}}}})",
                                        capabilities));
    EXPECT_EQ(opened["result"]["protocolVersion"], "2025-11-25") << opened.dump();
    say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  }
  std::string errors() const { return text_of(errors_); }

  std::unique_ptr<local::ChildProcess> process;

 private:
  const std::string out_;
  const std::string errors_;
  os::FileDescriptor to_;
};

class McpServe : public testing::Test {
 protected:
  static constexpr const char* kFixtures = TOOLWAY_SOURCE_DIR "/tests/mcp_conformance";
  void SetUp() override { ASSERT_FALSE(dev_.url().empty()) << dev_.log(); }

  std::size_t calls_of(const std::string& tool) {
    auto client = client::HttpClient::create({.url = dev_.url(), .user = "desk"});
    auto answer = (*client)->request("GET", "/v1/calls?limit=100");
    if (!answer || !answer->ok()) return 999;
    const auto body = answer->json();
    return static_cast<std::size_t>(std::ranges::count_if(
        body["calls"], [&tool](const OrderedJson& call) { return call["tool"] == tool; }));
  }
  std::string reach() const { return fmt::format("--server '{}' --user desk", dev_.url()); }
  /// Ends a gateway, which `dev` starts again.
  void restart_gateway() {
    const int pid = dev_.pid_of("gateway");
    kill(pid, SIGKILL);
    EXPECT_TRUE(wait_for([&] { return dev_.pid_of("gateway") != pid; })) << dev_.log();
  }

  const test::TempDir dir_;
  Dev dev_{dir_, {"--specs", kFixtures, "--python-path", kFixtures}};
};

TEST_F(McpServe, SpeaksBothErasAndEndsWithItsInput) {
  Desktop desktop(dir_ / "", "both", reach());
  desktop.shake_hands();
  const auto listed = desktop.ask(2, "tools/list");
  EXPECT_FALSE(listed["result"]["tools"].empty()) << listed.dump();
  EXPECT_FALSE(listed["result"].contains("resultType"));
  const auto called =
      desktop.ask(3, "tools/call", R"({"name":"greet","arguments":{"name":"Ann"}})");
  EXPECT_EQ(called["result"]["content"][0]["type"], "text") << called.dump();
  const auto newer =
      desktop.ask("n", "tools/call",
                  fmt::format(R"({{"name":"greet","arguments":{{"name":"Bo"}},{}}})", kNewEra));
  EXPECT_EQ(newer["result"]["resultType"], "complete") << newer.dump();
  desktop.say("this is not JSON");
  EXPECT_EQ(desktop.answer(nullptr)["error"]["code"], -32700);
  desktop.say(R"({"jsonrpc":"2.0","id":"last","method":"ping"})");
  desktop.end_input();
  EXPECT_EQ(desktop.process->wait(30s), 0) << desktop.errors();
  EXPECT_TRUE(desktop.answer("last").contains("result"));
  EXPECT_EQ(calls_of("greet"), 2U);
}

TEST_F(McpServe, ACallDoesNotKeepOthersWaitingAndItsProgressComes) {
  Desktop desktop(dir_ / "", "slow", reach());
  desktop.shake_hands();
  for (const auto* id : {"slow1", "slow2"})
    desktop.say(fmt::format(
        R"({{"jsonrpc":"2.0","id":"{0}","method":"tools/call","params":{{"name":"slow_compute",)"
        R"("arguments":{{"seconds":3}},"_meta":{{"progressToken":"{0}"}}}}}})",
        id));
  EXPECT_TRUE(desktop.ask("quick", "ping").contains("result"));
  const auto lines = desktop.lines();
  EXPECT_TRUE(std::ranges::none_of(lines, [](const Json& line) {
    return line.value("id", Json()) == "slow1" || line.value("id", Json()) == "slow2";
  })) << "the ping's answer came first";
  EXPECT_TRUE(desktop.answer("slow1").contains("result"));
  EXPECT_TRUE(desktop.answer("slow2").contains("result"));
}

TEST_F(McpServe, AGatewayThatRestartsLosesNothingAndRunsNothingTwice) {
  Desktop desktop(dir_ / "", "restart", reach());
  desktop.shake_hands();
  EXPECT_TRUE(desktop.ask(1, "tools/list").contains("result"));
  desktop.say(
      R"({"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"slow_compute",)"
      R"("arguments":{"seconds":4},"_meta":{"progressToken":"p"}}})");
  EXPECT_TRUE(wait_for([&] { return calls_of("slow_compute") == 1; }));
  restart_gateway();
  desktop.say(R"({"jsonrpc":"2.0","id":"now","method":"tools/list"})");
  EXPECT_TRUE(desktop.answer("now").contains("result"));
  const auto ended = desktop.answer("slow");
  EXPECT_FALSE(ended["result"].value("isError", false)) << ended.dump();
  EXPECT_EQ(calls_of("slow_compute"), 1U);
  kill(desktop.process->pid(), SIGTERM);
  EXPECT_EQ(desktop.process->wait(10s), 128 + SIGTERM);
}

TEST_F(McpServe, AQuestionIsAskedOnceThoughTheGatewayDies) {
  Desktop desktop(dir_ / "", "asks", reach());
  desktop.shake_hands(R"({"elicitation":{}})");
  desktop.say(
      R"({"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"confirm_delete",)"
      R"("arguments":{"filename":"a.txt"}}})");
  ASSERT_TRUE(wait_for([&] { return desktop.questions().size() == 1; })) << desktop.errors();
  restart_gateway();
  desktop.say(fmt::format(
      R"({{"jsonrpc":"2.0","id":{},"result":{{"action":"accept","content":{{"confirm":true}}}}}})",
      desktop.questions().front()["id"].dump()));
  const auto ended = desktop.answer("call");
  EXPECT_EQ(ended["result"]["content"][0]["text"], "Deleted a.txt.") << ended.dump();
  EXPECT_EQ(desktop.questions().size(), 1U);
  EXPECT_EQ(calls_of("confirm_delete"), 1U);
}

TEST_F(McpServe, CallsHaveTheHeadersThatTheirToolsAskFor) {
  Desktop desktop(dir_ / "", "marked", reach());
  const auto query = [&](const Json& id, const std::string& arguments) {
    return desktop.ask(
        id, "tools/call",
        fmt::format(R"({{"name":"run_query","arguments":{},{}}})", arguments, kNewEra));
  };
  const auto unseen = query(1, R"({"region":"Süd","limit":3})");
  EXPECT_FALSE(unseen["result"]["isError"]) << unseen.dump();
  const auto listed = desktop.ask(2, "tools/list", fmt::format(R"({{{}}})", kNewEra));
  EXPECT_FALSE(listed["result"]["tools"].empty()) << listed.dump();
  const auto seen = query(3, R"({"region":" north "})");
  EXPECT_FALSE(seen["result"]["isError"]) << seen.dump();
  EXPECT_EQ(calls_of("run_query"), 2U);
  EXPECT_EQ(desktop.lines().size(), 3U) << "what it lists for itself is not the client's";
}

TEST_F(McpServe, AClientOfAnOlderRevisionIsToldOfChangedLists) {
  const auto offer = [this](const std::string& verb) {
    const auto ran = run_toolway(dir_, {"tools", verb, "default.greet", "--data", dir_ / "data"});
    EXPECT_EQ(ran.status, 0) << ran.output;
  };
  Desktop desktop(dir_ / "", "told", reach());
  desktop.shake_hands();
  std::size_t told = 0;
  int asked = 0;
  // Lists when it is told to, and then alone.
  const auto learns = [&](bool offered) {
    return wait_for([&] {
      const auto now = desktop.told("notifications/tools/list_changed");
      if (std::exchange(told, now) == now) return false;
      const auto listed = desktop.ask(++asked, "tools/list");
      return offered == std::ranges::any_of(listed["result"]["tools"], [](const Json& tool) {
               return tool["name"] == "greet";
             });
    });
  };
  offer("disable");
  EXPECT_TRUE(learns(false)) << desktop.errors();
  restart_gateway();
  offer("enable");
  EXPECT_TRUE(learns(true)) << desktop.errors();
  desktop.end_input();
  EXPECT_EQ(desktop.process->wait(5s), 0) << "its stream does not keep it: " << desktop.errors();
}

TEST_F(McpServe, ServesOneSessionOfTheCaller) {
  ASSERT_EQ(run_toolway(dir_, {"session", "open", "only-bench", "-n", "bench", "--url", dev_.url(),
                               "--user", "desk"})
                .status,
            0);
  Desktop desktop(dir_ / "", "one", reach() + " --session only-bench");
  desktop.shake_hands();
  const auto listed = desktop.ask(1, "tools/list");
  for (const auto& tool : listed["result"]["tools"])
    EXPECT_TRUE(tool["name"].get<std::string>().find("greet") == std::string::npos) << tool.dump();
  const auto foreign = desktop.ask(2, "tools/call", R"({"name":"greet","arguments":{}})");
  EXPECT_EQ(foreign["error"]["code"], -32602) << foreign.dump();
}

}  // namespace
}  // namespace toolway::cli
