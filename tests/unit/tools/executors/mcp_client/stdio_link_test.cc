#include <signal.h>

#include "tests/unit/tools/executors/mcp_client/scripted_server.h"
#include "tools/executors/mcp_client/unwritten_lines.h"

namespace toolway::tools::executors::mcp_client {
namespace {

using namespace std::chrono_literals;
using Again = LinkCall::Again;
using Steady = std::chrono::steady_clock;

TEST(McpStdioLink, AKilledServerIsBackWithinTwoSecondsAndItsCallsSayWhatHappened) {
  Scripted server;
  server.connect();
  const auto pid = std::stoi(server.text("pid"));
  test::Awaited<std::string> once, twice;
  std::jthread never_again(
      [&, told = once.callback()] { told(server.text("slowly", {{"ms", 3'000}}, Again::kNever)); });
  std::jthread again(
      [&, told = twice.callback()] { told(server.text("slowly", {{"ms", 1'000}}, Again::kOnce)); });
  ASSERT_TRUE(server.sees("call", 3));
  const auto killed = Steady::now();
  kill(pid, SIGKILL);
  EXPECT_EQ(once.next(), "mcp_server_died");
  EXPECT_LT(Steady::now() - killed, 2s) << "noticed at once";
  EXPECT_NE(std::stoi(server.text("pid")), pid);
  EXPECT_LT(Steady::now() - killed, 2s);
  EXPECT_EQ(twice.next(), "slowly") << "an idempotent one is run once more";
}

TEST(McpStdioLink, OneThatDiesUnderACallAgainAndAgainSaysSo) {
  Scripted server;
  server.connect();
  const auto died = server.call("dies", Json::object(), Again::kOnce);
  ASSERT_FALSE(died);
  EXPECT_EQ(died.error().code, "mcp_server_died");
  EXPECT_TRUE(died.error().retryable);
  EXPECT_FALSE(server.call("dies", Json::object(), Again::kNever).error().retryable);
  EXPECT_EQ(server.text("echo", {{"text", "back"}}), "back");
}

TEST(McpStdioLink, ClosingItsOutputIsItsEnd) {
  Scripted server;
  server.connect();
  EXPECT_EQ(server.text("nonsense", {{"kind", "close_stdout"}}), "mcp_server_died");
  EXPECT_EQ(server.text("echo", {{"text", "back"}}), "back");
}

TEST(McpStdioLink, UnrequestedAnswersDoNoHarm) {
  Scripted server;
  server.connect();
  EXPECT_EQ(server.text("nonsense", {{"kind", "unknown_id"}}), "after unknown ids");
  EXPECT_EQ(server.text("nonsense", {{"kind", "twice"}}), "first");
  EXPECT_EQ(server.text("nonsense", {{"kind", "huge_id"}}), "mcp_protocol_error")
      << "whose answer it was is not known";
  auto silent = server.with("nonsense", {{"kind", "silence"}});
  silent.timeout = 200ms;
  EXPECT_EQ(server.link->call(silent).error().code, "mcp_timeout");
  EXPECT_EQ(server.text("echo", {{"text", "still there"}}), "still there");
}

TEST(McpStdioLink, OneThatDoesNotStartIsSaidSoWithinItsTime) {
  Scripted server({"--start", "exit"});
  server.connect();
  const auto result = server.call("echo");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "mcp_server_unavailable");
  EXPECT_NE(result.error().message.find("exited with status 7"), std::string::npos)
      << result.error().message;
  EXPECT_TRUE(server.trouble.next());
  Scripted hangs({"--start", "hang"});
  hangs.config.start_timeout = 300ms;
  hangs.connect();
  EXPECT_EQ(hangs.text("echo"), "mcp_server_unavailable");
  Scripted missing;
  missing.config.stdio->command = {"/no/such/program"};
  missing.connect();
  const auto none = missing.call("echo");
  EXPECT_EQ(none.error().code, "mcp_server_unavailable");
  EXPECT_NE(none.error().message.find("/no/such/program"), std::string::npos);
}

TEST(McpStdioLink, SlowOldAndTalkativeServersAreUnderstood) {
  for (const auto* start : {"silent-probe", "dies-on-probe", "noise"}) {
    Scripted server({"--start", start, "--revision", "2025-06-18"});
    server.config.start_timeout = 6s;
    server.connect();
    EXPECT_EQ(server.text("echo", {{"text", start}}), start);
  }
}

TEST(McpStdioLink, OneThatNeedsLongerThanTheProbeToStartIsSpokenToInItsRevision) {
  // It answers nothing until the client has given up on discover and sent initialize.
  Scripted server({"--start", "late", "--revision", "2026-07-28"});
  server.config.start_timeout = 3s;
  server.connect();
  EXPECT_EQ(server.text("echo", {{"text", "late"}}), "late");
  EXPECT_EQ(server.seen("started").size(), 1U) << "on its first start";
  EXPECT_EQ(server.seen("refused_initialize").size(), 1U);
}

TEST(McpStdioLink, OneThatSleepsLongerThanTheProbeComesUpOnItsFirstStart) {
  for (const auto* revision : {"2025-06-18", "2026-07-28"}) {
    Scripted server({"--start", "slow", "--revision", revision});
    server.config.start_timeout = 3s;  // of which discover is given 1 s
    server.connect();
    EXPECT_EQ(server.text("echo", {{"text", revision}}), revision);
    EXPECT_EQ(server.seen("started").size(), 1U) << revision;
    EXPECT_FALSE(server.trouble.next(0ms));
  }
}

TEST(McpStdioLink, OneThatNeverAnswersIsSaidToBeStartingAndThenKeepsNoCallWaiting) {
  Scripted server({"--start", "hang"});
  server.config.start_timeout = 4500ms;  // after 1.5 s for discover
  server.connect();
  const auto so_far = server.starting.next();
  ASSERT_TRUE(so_far);
  EXPECT_NE(so_far->find("has not answered for 5 s"), std::string::npos) << *so_far;
  EXPECT_NE(so_far->find("loading the model"), std::string::npos) << *so_far;
  const auto why = server.trouble.next();
  ASSERT_TRUE(why);
  EXPECT_NE(why->why.find("initialize"), std::string::npos) << why->why;
  EXPECT_EQ(why->lines, std::vector<std::string>{"loading the model"});
  const auto asked = Steady::now();
  EXPECT_EQ(server.text("echo"), "mcp_server_unavailable");
  EXPECT_LT(Steady::now() - asked, 1s) << "it had its time";
}

TEST(McpStdioLink, ItsLastWordsComeWithItsEnd) {
  Scripted server;
  server.config.stdio->command = {
      "python3", "-c",
      "import os,time\nos.close(1)\ntime.sleep(.03)\nos.write(2,b'no database')\nos._exit(5)"};
  server.connect();
  const auto why = server.trouble.next();
  ASSERT_TRUE(why);
  EXPECT_EQ(why->why, "it exited with status 5");
  EXPECT_EQ(why->lines, std::vector<std::string>{"no database"});
}

TEST(McpStdioLink, WhyAProgramIsNotFoundSaysWhereItWasLookedFor) {
  Scripted unknown;
  unknown.config.stdio->command = {"no-such-program"};
  unknown.connect();
  const auto not_found = unknown.trouble.next();
  ASSERT_TRUE(not_found);
  EXPECT_NE(not_found->why.find("in its PATH=/usr/local/bin:/usr/bin:/bin; give"),
            std::string::npos)
      << not_found->why;
  Scripted nowhere;
  nowhere.config.stdio->directory = "/no/such/directory";
  nowhere.connect();
  const auto no_directory = nowhere.trouble.next();
  ASSERT_TRUE(no_directory);
  EXPECT_NE(no_directory->why.find("`cwd` /no/such/directory is not a directory"),
            std::string::npos)
      << no_directory->why;
}

TEST(McpStdioLink, ARevisionThatIsUnknownIsNamed) {
  Scripted server({"--revision", "2024-10-07"});
  server.connect();
  const auto why = server.trouble.next();
  ASSERT_TRUE(why);
  EXPECT_NE(why->why.find("2024-10-07"), std::string::npos) << why->why;
}

TEST(McpStdioLink, ItsEnvironmentIsCleanAndItsSecretsStayHidden) {
  setenv("TOOLWAY_LEAKED", "yes", 1);
  Scripted server;
  server.secrets = std::make_shared<model::Secrets>(
      std::filesystem::path(), model::Secrets::Values{{"TOKEN", "s3cret-value"}});
  server.config.stdio->environment.emplace_back("GIVEN",
                                                *SecretText::parse("Bearer {secret:TOKEN}"));
  server.connect();
  const auto variables = *server.call("environment")->structured;
  unsetenv("TOOLWAY_LEAKED");
  EXPECT_EQ(variables.value("GIVEN", ""), "Bearer s3cret-value");
  EXPECT_FALSE(variables.contains("TOOLWAY_LEAKED"));
  for (const auto& [name, value] : variables.items()) {
    EXPECT_TRUE(name == "PATH" || name == "HOME" || name == "LANG" || name == "GIVEN" ||
                name == "LC_CTYPE")
        << name;
  }
}

TEST(McpStdioLink, ASecretThatIsNotThereIsTheReason) {
  Scripted server;
  server.config.stdio->environment.emplace_back("GIVEN", *SecretText::of_secret("NOT_THERE"));
  server.connect();
  const auto why = server.trouble.next();
  ASSERT_TRUE(why);
  EXPECT_NE(why->why.find("NOT_THERE"), std::string::npos);
}

TEST(McpStdioLink, OneThatAsksAndDoesNotReadTheAnswersIsEnded) {
  Scripted server({"--revision", "2025-06-18"});
  server.connect();
  EXPECT_EQ(server.text("nonsense", {{"kind", "asks_and_does_not_read"}}), "mcp_server_died");
  const auto why = server.trouble.next();
  ASSERT_TRUE(why);
  EXPECT_NE(why->why.find("asks but does not read the answers"), std::string::npos) << why->why;
  EXPECT_EQ(server.text("echo", {{"text", "back"}}), "back");
}

TEST(McpStdioLink, OneThatChangesItsListAndDoesNotReadTheRequestsIsEnded) {
  Scripted server({"--revision", "2025-06-18"});
  server.connect();
  EXPECT_EQ(server.text("nonsense", {{"kind", "changes_list_and_does_not_read"}}),
            "mcp_server_died");
  const auto why = server.trouble.next();
  ASSERT_TRUE(why);
  EXPECT_NE(why->why.find("answers a request for its tools that it has yet to read"),
            std::string::npos)
      << why->why;
  EXPECT_EQ(server.text("echo", {{"text", "back"}}), "back");
}

TEST(McpStdioLink, WhatIsAskedUnderALongIdIsNotAnswered) {
  Scripted server({"--revision", "2025-06-18"});
  server.connect();
  EXPECT_EQ(server.text("nonsense", {{"kind", "asks_under_long_ids"}}), "after long ids");
  EXPECT_EQ(server.text("echo", {{"text", "still there"}}), "still there");
}

TEST(UnwrittenLines, BoundsRepliesApartFromCalls) {
  UnwrittenLines lines;
  lines.add(std::string(2 * kMaxUnreadReplies, 'x'), 1);
  EXPECT_FALSE(lines.full());
  std::size_t replies = 0;
  while (lines.add_reply(std::string(99, 'r'))) ++replies;
  EXPECT_NEAR(static_cast<double>(replies), kMaxUnreadReplies / 100.0, 2);
  lines.written(lines.take());  // the call
  EXPECT_FALSE(lines.add_reply(std::string(99, 'r')))
      << "a call that was read makes no room for replies";
  lines.written(lines.take());
  EXPECT_TRUE(lines.add_reply(std::string(99, 'r')));
  while (!lines.full()) lines.add(std::string(1'000'000, 'x'), 7);
  EXPECT_EQ(lines.forget(true), std::set<std::int64_t>{7});
  EXPECT_TRUE(lines.empty());
  EXPECT_TRUE(lines.add_reply("r"));
}

TEST(McpStdioLink, ASandboxThatThisMachineCannotMakeIsNotDoneWithout) {
  Scripted server;
  server.config.stdio->sandbox = "default";
  const ServerConfig configs[] = {server.config};
  const auto links = ServerLinks::create({.profiles = {},
                                          .directory = server.dir.path(),
                                          .secrets = server.secrets,
                                          .sandbox_program = "/no/such/bwrap"},
                                         configs);
  ASSERT_TRUE(links) << links.error().message;
  const auto link = links->connect(server.config, {});
  ASSERT_FALSE(link);
  EXPECT_EQ(link.error().code, ErrorCode::kSandboxUnavailable);
  EXPECT_NE(link.error().message.find("namespaces"), std::string::npos) << link.error().message;
}

TEST(McpStdioLink, EndsWithItsLink) {
  Scripted server;
  server.connect();
  const auto pid = std::stoi(server.text("pid"));
  server.link.reset();
  EXPECT_EQ(kill(pid, 0), -1);
  EXPECT_EQ(server.seen("end of input").size(), 1U) << "asked to by the end of its input";
}

TEST(McpStdioLink, RunsInASandbox) {
  Scripted server;
  server.config.stdio->sandbox = "default";
  server.config.stdio->command = {
      "python3", "-c",
      "import json,sys,os\n"
      "for line in sys.stdin:\n"
      "  m=json.loads(line)\n"
      "  if m.get('method')=='initialize': r={'protocolVersion':'2025-11-25','capabilities':{}}\n"
      "  elif m.get('method')=='tools/call': r={'content':[{'type':'text','text':str(os.getuid())+os.uname().nodename}]}\n"
      "  else:\n"
      "    if 'id' in m: print(json.dumps({'jsonrpc':'2.0','id':m['id'],'error':{'code':-32601,'message':'no'}}),flush=True)\n"
      "    continue\n"
      "  print(json.dumps({'jsonrpc':'2.0','id':m['id'],'result':r}),flush=True)\n"};
  server.connect();
  EXPECT_EQ(server.text("where"), "1000sandbox");
}

}  // namespace
}  // namespace toolway::tools::executors::mcp_client
