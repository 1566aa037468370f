// Tools whose processes and sockets cannot be had for a while: their calls are late, and end as if
// nothing had been.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#include <fstream>
#include <future>

#include "base/all_at_once.h"
#include "tests/support/scarce.h"
#include "tests/support/scripted_server.h"
#include "tests/unit/tools/executors/command/command_fixture.h"
#include "tests/unit/tools/executors/mcp_client/scripted_server.h"
#include "tests/unit/tools/executors/python/python_fixture.h"
#include "tests/unit/tools/http/http_fixture.h"
#include "tests/unit/tools/process/no_threads.h"
#include "tools/executors/command/workspaces.h"

namespace toolway::test {
namespace {

using namespace std::chrono_literals;
using namespace tools;

/// Whether it has not come to an end, after time enough for more than one try.
template <typename T>
bool waits(std::future<T>& answer) {
  return answer.wait_for(300ms) == std::future_status::timeout;
}

class CommandShortage : public CommandTest {};

TEST_F(CommandShortage, ACommandWaitsForDescriptors) {
  NoDescriptors none;
  auto answer =
      std::async(std::launch::async, [this] { return run(R"({"argv": ["echo", "late"]})"); });
  EXPECT_TRUE(waits(answer));
  none.give_back();
  EXPECT_EQ(text_of(answer.get()), "late\n");
}

TEST_F(CommandShortage, AWorkspaceOutlastsIt) {
  const std::string keep = R"({"argv": ["sh", "-c", "echo kept > file"], "workspace": "session"})";
  EXPECT_EQ(code_of(run(keep)), "succeeded");
  NoDescriptors none;
  auto answer = std::async(std::launch::async, [this] {
    return run(R"({"argv": ["cat", "file"], "workspace": "session"})");
  });
  EXPECT_TRUE(waits(answer));
  none.give_back();
  EXPECT_EQ(text_of(answer.get()), "kept\n");
}

TEST_F(CommandShortage, WhoCannotLookIntoAWorkspaceDoesNotCallItTooLarge) {
  const tools::executors::command::Workspaces workspaces(
      {.directory = directory_.path() / "workspaces"});
  auto workspace = workspaces.of("user", "session");
  ASSERT_TRUE(workspace);
  std::filesystem::create_directory(workspace->path() + "/below");
  ASSERT_TRUE(workspace->use({.bytes = 1 << 20, .files = 10}));
  const NoDescriptors none;
  EXPECT_FALSE(workspace->use({.bytes = 1 << 20, .files = 10}));
  EXPECT_EQ(workspaces.of("user", "other").error().code, ErrorCode::kOverloaded);
}

class PythonShortage : public tools::executors::python::PythonTest {};

TEST_F(PythonShortage, ACallWaitsForAnInterpreter) {
  auto with = options();
  with.warm = with.processes = 1;
  use(with);
  const auto process = run("process");
  ASSERT_TRUE(process) << said(process);
  const auto made = tool(spec("noop"));
  kill(process->get<int>(), SIGKILL);
  // A call that the dying interpreter still gets would be lost with it.
  ASSERT_TRUE(ends(*process));
  NoDescriptors none;
  auto answer = std::async(std::launch::async, [&] { return run(made); });
  EXPECT_TRUE(waits(answer));
  none.give_back();
  EXPECT_EQ(said(answer.get()), "null");
}

TEST(McpShortage, ACallWaitsForItsServer) {
  tools::executors::mcp_client::Scripted server;
  server.connect();
  const auto pid = std::stoi(server.text("pid"));
  NoDescriptors none;
  kill(pid, SIGKILL);
  ASSERT_TRUE(server.trouble.next());
  ASSERT_TRUE(server.trouble.next()) << "it cannot be started";
  auto answer =
      std::async(std::launch::async, [&] { return server.text("echo", {{"text", "late"}}); });
  EXPECT_TRUE(waits(answer));
  none.give_back();
  EXPECT_EQ(answer.get(), "late");
}

/// Enough for every descriptor that one call opens.
constexpr std::size_t kDescriptorsOfACall = 12;

TEST_F(CommandShortage, ACommandWaitsWhicheverDescriptorIsMissing) {
  for (std::size_t spare = 0; spare <= kDescriptorsOfACall; ++spare) {
    NoDescriptors few(spare);
    auto answer = std::async(std::launch::async, [this] {
      return run(R"({"argv": ["echo", "late"], "workspace": "session"})");
    });
    (void)answer.wait_for(60ms);
    few.give_back();
    EXPECT_EQ(text_of(answer.get()), "late\n") << spare;
  }
}

TEST_F(PythonShortage, ACallWaitsWhicheverDescriptorIsMissing) {
  auto with = options();
  with.warm = with.processes = 1;
  use(with);
  for (std::size_t spare = 0; spare <= kDescriptorsOfACall; ++spare) {
    const auto process = run("process");
    ASSERT_TRUE(process) << said(process);
    const auto made = tool(spec("noop"));
    kill(process->get<int>(), SIGKILL);
    ASSERT_TRUE(ends(*process));
    NoDescriptors few(spare);
    auto answer = std::async(std::launch::async, [&] { return run(made); });
    (void)answer.wait_for(60ms);
    few.give_back();
    EXPECT_EQ(said(answer.get()), "null") << spare;
  }
}

TEST(McpShortage, ACallWaitsWhicheverDescriptorOfItsServerIsMissing) {
  for (std::size_t spare = 0; spare <= kDescriptorsOfACall; ++spare) {
    tools::executors::mcp_client::Scripted
        server;  // one that dies again and again would be given up
    server.connect();
    const auto pid = std::stoi(server.text("pid"));
    NoDescriptors few(spare);
    kill(pid, SIGKILL);
    ASSERT_TRUE(server.trouble.next());
    auto answer =
        std::async(std::launch::async, [&] { return server.text("echo", {{"text", "late"}}); });
    (void)answer.wait_for(60ms);
    few.give_back();
    EXPECT_EQ(answer.get(), "late") << spare;
  }
}

/// What `make` says with ever more threads, until it has all that it wants: each time but the last
/// it must say that there is none.
template <typename Make>
void expect_refusals(int least, Make make) {
  int spare = 0;
  for (; spare < 10; ++spare) {
    const NoThreads few(spare);
    const auto made = make();
    if (few.refused() == 0) {
      EXPECT_TRUE(made) << made.error().message;
      break;
    }
    ASSERT_FALSE(made) << spare;
    EXPECT_EQ(made.error().code, ErrorCode::kOverloaded) << made.error().message;
    EXPECT_NE(made.error().message.find("cannot start a thread"), std::string::npos)
        << made.error().message;
  }
  EXPECT_GE(spare, least);
}

TEST(AllAtOnce, RunsHereWhatHasNoThread) {
  std::vector<int> done(3, 0);
  const NoThreads few(1);
  all_at_once(done, [](int& one) { one = 1; });
  EXPECT_EQ(few.refused(), 2);
  EXPECT_EQ(done, std::vector<int>(3, 1));
}

TEST(McpShortage, AServerWithoutAThreadIsAnError) {
  for (const auto over : {tools::executors::mcp_client::Scripted::Over::kStdio,
                          tools::executors::mcp_client::Scripted::Over::kHttp}) {
    tools::executors::mcp_client::Scripted server({}, over);
    const tools::executors::mcp_client::ServerConfig configs[] = {server.config};
    auto links = tools::executors::mcp_client::ServerLinks::create(
        {.profiles = {}, .directory = server.dir.path(), .secrets = server.secrets}, configs);
    ASSERT_TRUE(links) << links.error().message;
    expect_refusals(1, [&] {
      return links->connect(server.config, {.on_tools = server.listed.callback(),
                                            .on_trouble = server.trouble.callback()});
    });
  }
}

TEST_F(PythonShortage, InterpretersWithoutAThreadAreAnError) {
  expect_refusals(1, [this] { return tools::executors::python::make_python_kind(options()); });
  expect_refusals(2, [this] {
    return tools::executors::python::describe_python(options(), "described_tools", "weather");
  });
}

class HttpShortage : public HttpEngineTest {};

TEST_F(HttpShortage, ARequestWaitsForASocket) {
  ScriptedServer server(always(ScriptedServer::ok("late")));
  NoDescriptors none;
  auto answer = std::async(std::launch::async, [&] { return get(server.url()); });
  EXPECT_TRUE(waits(answer));
  none.give_back();
  EXPECT_EQ(answer.get().why, Why::kComplete);
  EXPECT_EQ(answer_.body, "late");
}

TEST_F(HttpShortage, ACallWaitsForItsMcpServerHoweverLongThatTakes) {
  ScriptedServer down(
      always("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"));
  tools::executors::mcp_client::Scripted server;
  server.config.stdio.reset();
  server.config.http = {.url = down.url(), .allow_addresses = {"127.0.0.1"}};
  server.config.start_timeout = 300ms;
  server.connect();
  ASSERT_TRUE(server.trouble.next());
  NoDescriptors none;
  // As long as it takes a server that is at fault itself to be given up.
  const auto until = std::chrono::steady_clock::now() + 5s;
  while (std::chrono::steady_clock::now() < until) {
    ASSERT_TRUE(server.trouble.next());
    none.take_rest();  // what the last try had open may be closed only now
  }
  auto answer = std::async(std::launch::async, [&] { return server.text("echo"); });
  EXPECT_FALSE(answer.wait_for(1s) == std::future_status::ready);
  none.give_back();
  EXPECT_EQ(answer.get(), "mcp_server_unavailable") << "now it is the server's fault";
}

TEST(Workspace, WhatItsOwnerPutsInThePlaceOfADirectoryIsNotTouched) {
  // As user nobody: root may read everything, and so never changes the rights of what it looks at.
  const TempDir outside;
  chmod(outside.path().c_str(), 0777);
  const auto victim = outside.path() / "victim";
  EXPECT_EQ(
      as_nobody(RLIM_INFINITY,
                [&] {
                  const tools::executors::command::Workspaces workspaces(
                      {.directory = outside.path() / "workspaces"});
                  auto workspace = workspaces.of("user", "session");
                  if (!workspace) return 10;
                  std::filesystem::create_directory(victim);
                  chmod(victim.c_str(), 0500);
                  const auto swapped = workspace->path() + "/swapped";
                  const auto link = workspace->path() + "/link";
                  if (mkdir(swapped.c_str(), 0) != 0 || symlink(victim.c_str(), link.c_str()) != 0)
                    return 11;
                  std::jthread swap([&](const std::stop_token& stop) {
                    while (!stop.stop_requested()) {
                      renameat2(AT_FDCWD, swapped.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE);
                      for (const auto& name : {swapped, link})
                        fchmodat(AT_FDCWD, name.c_str(), 0, AT_SYMLINK_NOFOLLOW);
                    }
                  });
                  const auto until = std::chrono::steady_clock::now() + 1s;
                  while (std::chrono::steady_clock::now() < until) {
                    (void)workspace->use({.bytes = 1 << 20, .files = 10});
                    struct stat status{};
                    if (stat(victim.c_str(), &status) == 0 && (status.st_mode & 0777) == 0700)
                      return 12;
                  }
                  return 0;
                }),
      0);
}

}  // namespace
}  // namespace toolway::test
