#include <gtest/gtest.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"
#include "tests/support/lines.h"

namespace toolway::cli {
namespace {

/// A port that is free at the moment, for a server that is told its port.
std::string free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ::close(fd);
  return std::to_string(ntohs(address.sin_port));
}

Ran run_shell(const test::TempDir& dir, const std::string& command,
              Dev::Environment environment = {}) {
  const auto output = dir / "shell.log";
  std::filesystem::remove(output);
  auto child = local::ChildProcess::start(
      {.argv = {"bash", "-c", command}, .environment = std::move(environment), .log_file = output});
  if (!child) return {.status = -1, .output = child.error().message};
  const auto status = (*child)->wait(std::chrono::seconds(120));
  return {.status = status.value_or(-1), .output = text_of(output)};
}

/// What `toolway tools new` printed to go on with.
struct Next {
  std::string test;
  std::string dev;
  std::string call;
};

// One directory with a tool of each kind that needs no compiler (native: tests/CMakeLists.txt), in
// a place with a space.
TEST(NewToolOfEveryKind, IsTestedOfferedAndCalledAsPrinted) {
  const test::TempDir dir;
  const auto into = dir / "my tools";
  const std::vector<std::string> kinds{"python", "command", "http", "mcp", "template", "mock"};
  std::map<std::string, Next> next;
  for (const auto& kind : kinds) {
    const std::vector<std::string> arguments{"tools", "new",    "a-" + kind, "--kind",
                                             kind,    "-n",     "made",      "--into",
                                             into,    "--port", free_port()};
    const auto made = run_toolway(dir, arguments);
    ASSERT_EQ(made.status, 0) << made.output;
    std::vector<std::string> commands;
    for (const auto& line : test::lines_of(made.output)) {
      if (line.starts_with("    ")) commands.push_back(line.substr(4));
    }
    ASSERT_EQ(commands.size(), 3U) << made.output;
    next[kind] = {commands[0], commands[1], commands[2]};
    const auto again = run_toolway(dir, arguments);
    EXPECT_EQ(again.status, 2) << again.output;
    EXPECT_NE(again.output.find("already exists"), std::string::npos) << again.output;
    const auto tested = run_shell(dir, commands[0]);
    EXPECT_EQ(tested.status, 0) << commands[0] << "\n" << tested.output;
    EXPECT_NE(tested.output.find("\nOK"), std::string::npos) << tested.output;
  }
  EXPECT_EQ(run_toolway(dir, {"specs", "check", into, "--python-path", into}).status, 0);

  // One stack has the options of all the printed commands; what is before `dev` is the server
  // of the http tool.
  std::vector<std::string> options;
  std::unique_ptr<local::ChildProcess> server;
  for (const auto& kind : kinds) {
    auto words = test::lines_of(run_shell(dir, "printf '%s\\n' " + next[kind].dev).output);
    const auto verb = std::find(words.begin(), words.end(), "dev");
    ASSERT_NE(verb, words.end()) << next[kind].dev;
    if (words.front() == "python3")
      server = std::move(*local::ChildProcess::start(
          {.argv = {words[0], words[1]}, .log_file = dir / "server.log"}));
    for (auto option = verb + 1; option + 1 < words.end(); option += 2) {
      const bool known = std::find(options.begin(), options.end(), *(option + 1)) != options.end();
      if (!known || *option == "--python-path")
        options.insert(options.end(), {*option, *(option + 1)});
    }
  }
  Dev dev(dir, options);
  ASSERT_TRUE(dev.ready().is_object()) << dev.log();
  for (const auto& kind : kinds) {
    const auto called =
        run_shell(dir, next[kind].call, {{"TOOLWAY_URL", dev.url()}, {"TOOLWAY_USER", "ann"}});
    EXPECT_EQ(called.status, 0) << next[kind].call << "\n" << called.output;
    EXPECT_NE(called.output.find(kind == "template" ? "hello" : "5"), std::string::npos)
        << kind << ": " << called.output;
  }
  // And one of a namespace that came after the session of these calls was opened, by the command
  // that is printed for it.
  const auto second = run_toolway(
      dir, {"tools", "new", "second", "--kind", "template", "-n", "made2", "--into", into});
  ASSERT_EQ(second.status, 0) << second.output;
  std::string call;
  for (const auto& line : test::lines_of(second.output)) {
    if (line.find(" call made2.second ") != std::string::npos) call = line.substr(4);
  }
  const Dev::Environment environment{{"TOOLWAY_URL", dev.url()}, {"TOOLWAY_USER", "ann"}};
  ASSERT_TRUE(wait_for([&] {
    return run_toolway(dir, {"tools"}, environment).output.find("made2.second") !=
           std::string::npos;
  })) << dev.log();
  const auto called = run_shell(dir, call, environment);
  EXPECT_EQ(called.status, 0) << call << "\n" << called.output;
}

TEST(RunAlone, SaysWhatIsWrong) {
  const test::TempDir dir;
  const auto sum =
      run_toolway(dir, {"tools", "run", "examples.calculate_sum", R"({"numbers": [1, 2]})",
                        "--specs", TOOLWAY_SOURCE_DIR "/examples/tools", "--python-path",
                        TOOLWAY_SOURCE_DIR "/examples/tools"});
  EXPECT_EQ(sum.output, "3\n");
  const auto wrong =
      run_toolway(dir, {"tools", "run", "time.get_current_time", R"({"timezone": 42})"});
  EXPECT_EQ(wrong.status, 5) << wrong.output;
  EXPECT_EQ(
      wrong.output,
      "error: the tool failed: /timezone: expected string, found integer (invalid_arguments)\n");
  const auto unknown = run_toolway(dir, {"tools", "run", "time.get_curent_time"});
  EXPECT_EQ(unknown.status, 3) << unknown.output;
  EXPECT_NE(unknown.output.find("did you mean 'time.get_current_time'"), std::string::npos)
      << unknown.output;
  EXPECT_EQ(run_toolway(dir, {"tools", "run", "bench.stream", R"({"chunks": 2})"}).output,
            "progress  1/2 \nprogress  2/2 \n{\n  \"chunks\": 2\n}\n");
}

TEST(RunAlone, EndsAToolAtItsLimit) {
  const test::TempDir dir;
  std::ofstream(dir / "slow.yaml")
      << "tools: [{name: slow, kind: command, limits: {run_ms: 200}, input_schema: {type: object},"
         " implementation_config: {argv: [sleep, '60']}}]\n";
  const auto ended = run_toolway(
      dir, {"tools", "run", "default.slow", "--specs", dir / "slow.yaml", "-o", "json"});
  EXPECT_EQ(ended.status, 5) << ended.output;
  EXPECT_EQ(ended.json()["error"]["code"], "run_limit_exceeded") << ended.output;
}

}  // namespace
}  // namespace toolway::cli
