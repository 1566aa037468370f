#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "base/json.h"
#include "cli/client/http_client.h"
#include "local/child_process.h"
#include "local/leftover.h"
#include "tests/support/temp_dir.h"

namespace toolway::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Steady = std::chrono::steady_clock;

/// `toolway dev` as a person starts it, and what its ready file says.
class Dev {
 public:
  explicit Dev(const test::TempDir& dir, std::vector<std::string> more = {})
      : ready_file_(dir / "ready.json"), log_(dir / "dev.log") {
    std::vector<std::string> argv{TOOLWAY_PROGRAM, "dev", "--data", dir / "data", "--http", "127.0.0.1:0",
                                  "--root", TOOLWAY_SOURCE_DIR, "--ready-file", ready_file_};
    argv.insert(argv.end(), more.begin(), more.end());
    auto child = local::ChildProcess::start({.argv = argv, .log_file = log_});
    if (child) process = std::move(*child);
    wait_for([this] { return std::filesystem::exists(ready_file_) || process->poll(); });
  }

  Json ready() const {
    std::ifstream in(ready_file_);
    auto parsed = parse_json(std::string((std::istreambuf_iterator<char>(in)), {}));
    return parsed ? *parsed : Json();
  }
  int pid_of(const std::string& role) const {
    const auto now = ready();
    return now.is_object() ? now["pids"][role][0].get<int>() : 0;
  }
  std::string log() const { return local::tail(log_); }

  template <typename Condition>
  static bool wait_for(Condition condition, milliseconds timeout = seconds(30)) {
    for (const auto deadline = Steady::now() + timeout; Steady::now() < deadline;) {
      if (condition()) return true;
      std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
  }

  std::unique_ptr<local::ChildProcess> process;

 private:
  std::string ready_file_;
  std::string log_;
};

/// One call to its result; the answer's status when there was none.
std::string outcome_of_call(const std::string& url) {
  auto client = HttpClient::create({.url = url, .user = "e2e"});
  (*client)->request("POST", "/v1/sessions", R"({"session_id":"e2e","namespaces":["time"]})");
  auto answer = (*client)->request("POST", "/v1/sessions/e2e/calls", R"({"tool":"get_current_time"})",
                                   {{"Prefer", "wait=30"}});
  if (!answer) return answer.error().message;
  return answer->status == 200 ? answer->json().value("outcome", "") : answer->body;
}

TEST(DevStack, RunsCallsThroughItsLifeAndFindsThemAgain) {
  const test::TempDir dir;
  Json ready;
  {
    Dev dev(dir);
    ready = dev.ready();
    ASSERT_TRUE(ready.is_object()) << dev.log();
    const auto url = ready["http"].get<std::string>();
    EXPECT_EQ(outcome_of_call(url), "succeeded") << dev.log();
    for (const char* role : {"worker", "collector", "gateway", "nats", "postgres"}) {
      const int pid = dev.pid_of(role);
      ASSERT_GT(pid, 1);
      kill(pid, SIGKILL);
      ASSERT_TRUE(Dev::wait_for([&] { return dev.pid_of(role) != pid; })) << role << "\n" << dev.log();
      EXPECT_TRUE(Dev::wait_for([&] { return outcome_of_call(url) == "succeeded"; })) << role << "\n" << dev.log();
    }
    ready = dev.ready();
    dev.process->signal(SIGINT);
    EXPECT_EQ(dev.process->wait(seconds(60)), 0) << dev.log();
    for (const auto& [role, pids] : ready["pids"].items())
      for (const auto& pid : pids) EXPECT_NE(kill(pid.get<int>(), 0), 0) << role << " still runs";
  }
  Dev again(dir);
  ASSERT_TRUE(again.ready().is_object()) << again.log();
  auto client = HttpClient::create({.url = again.ready()["http"].get<std::string>(), .user = "e2e"});
  const auto calls = (*client)->request("GET", "/v1/sessions/e2e/calls?state=completed");
  ASSERT_TRUE(calls) << calls.error().message;
  EXPECT_GE(calls->json().value("calls", OrderedJson::array()).size(), 6U) << calls->body;
}

TEST(DevStack, AKilledOneTakesItsChildrenAlong) {
  const test::TempDir dir;
  Dev dev(dir, {"--gateways", "2", "--workers", "2", "--collectors", "2"});
  const auto ready = dev.ready();
  ASSERT_TRUE(ready.is_object()) << dev.log();
  EXPECT_EQ(ready["pids"]["worker"].size(), 2U);
  for (const auto& url : ready["http_all"])
    EXPECT_EQ(outcome_of_call(url.get<std::string>()), "succeeded");
  dev.process->signal(SIGKILL);
  dev.process->wait(seconds(10));
  for (const auto& [role, pids] : ready["pids"].items())
    for (const auto& pid : pids)
      EXPECT_TRUE(Dev::wait_for([&, number = pid.get<int>()] { return kill(number, 0) != 0; })) << role << " still runs";
}

TEST(DevStack, RefusesASecondOneOnTheSameDataAndATakenPort) {
  const test::TempDir dir;
  Dev dev(dir);
  ASSERT_TRUE(dev.ready().is_object()) << dev.log();
  const auto refused = [&](const std::string& data, const std::string& http) {
    auto child = local::ChildProcess::start({.argv = {TOOLWAY_PROGRAM, "dev", "--data", data, "--http", http},
                                             .log_file = dir / "refused.log"});
    EXPECT_EQ((*child)->wait(seconds(30)), 2);
    return local::tail(dir / "refused.log");
  };
  EXPECT_NE(refused(dir / "data", "127.0.0.1:0").find("is in use by another toolway dev"), std::string::npos);
  const auto url = dev.ready()["http"].get<std::string>();
  EXPECT_NE(refused(dir / "other", url.substr(7)).find("choose another with --http"), std::string::npos);
}

}  // namespace
}  // namespace toolway::cli
