// A worker whose machine has no more threads: its calls are late, and it stays up.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

/// Starts `argv` with a bound on the processes and threads of its user, who has no others.
std::vector<std::string> with_few_threads(unsigned most, const std::vector<std::string>& argv) {
  std::vector<std::string> all;
  // Root is not bounded; for others the bound counts what they run elsewhere, unless they have a
  // user namespace of their own.
  if (geteuid() == 0)
    all = {"setpriv", "--reuid=61235", "--regid=61235", "--clear-groups"};
  else
    all = {"unshare", "--user"};
  all.insert(all.end(), {"prlimit", "--nproc=" + std::to_string(most)});
  all.insert(all.end(), argv.begin(), argv.end());
  return all;
}

TEST(ShortOfThreads, CallsAreLateAndTheWorkerStaysUp) {
  const test::TempDir dir;
  std::filesystem::permissions(dir.path(), std::filesystem::perms(0777));
  Dev dev(dir, {"--pool", "http"});
  ASSERT_TRUE(dev.ready().is_object()) << dev.log();
  // That user may not see where this tree is.
  const auto program = dir / "toolway";
  std::filesystem::copy_file(TOOLWAY_PROGRAM, program);
  const auto ready = dir / "worker.json";
  const auto log = dir / "worker.log";
  auto worker = local::ChildProcess::start(
      {.argv = with_few_threads(
           20, {program, "worker", "--pool", "native=40", "--root", "/usr/share", "--workspaces",
                dir / "workspaces", "--metrics", "127.0.0.1:0", "--ready-file", ready}),
       .environment = {{"TOOLWAY_NATS_URL", dev.ready()["nats"].get<std::string>()}},
       .log_file = log});
  ASSERT_TRUE(worker) << worker.error().message;
  ASSERT_TRUE(wait_for([&] { return std::filesystem::exists(ready); })) << text_of(log);
  const auto client = *client::HttpClient::create({.url = dev.url(), .user = "e2e"});
  ASSERT_TRUE(
      client->request("POST", "/v1/sessions", R"({"session_id":"s","namespaces":["bench"]})"));
  std::vector<std::string> calls;
  for (int i = 0; i < 40; ++i) {
    const auto answer = client->request("POST", "/v1/sessions/s/calls",
                                        R"({"tool":"bench.work","arguments":{"wait_ms":500}})");
    ASSERT_TRUE(answer && answer->status == 202)
        << (answer ? answer->body : answer.error().message);
    calls.push_back(answer->json().value("call_id", ""));
  }
  for (const auto& call : calls) {
    OrderedJson shown;
    EXPECT_TRUE(wait_for(
        [&] { return (shown = shown_call(dev.url(), call)).value("state", "") == "completed"; },
        std::chrono::seconds(60)))
        << shown << text_of(log);
    EXPECT_EQ(shown["outcome"], "succeeded") << shown;
    EXPECT_EQ(shown["attempt"], 1) << "none broke off: " << shown;
  }
  EXPECT_FALSE((*worker)->poll()) << text_of(log);
  EXPECT_NE(text_of(log).find("the system has no more threads for calls"), std::string::npos)
      << text_of(log);
}

}  // namespace
}  // namespace toolway::cli
