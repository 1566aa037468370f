#include "local/managed_server.h"

#include <gtest/gtest.h>

#include <csignal>

#include "local/leftover.h"
#include "tests/support/temp_dir.h"

namespace toolway::local {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ManagedServerTest : public testing::Test {
 protected:
  Result<void> run(const std::string& script, const std::function<bool()>& ready) {
    return server_.run({.argv = {"sh", "-c", script}}, milliseconds(5), ready,
                       [](auto) { return false; });
  }
  bool log_has(std::string_view text) const {
    return tail(server_.log()).find(text) != std::string::npos;
  }

  const test::TempDir directory_;
  ManagedServer server_{"the server", directory_ / "log"};
};

TEST_F(ManagedServerTest, WaitsUntilItIsReady) {
  int asked = 0;
  const auto running = run("exec sleep 600", [&] { return ++asked == 3; });
  ASSERT_TRUE(running) << running.error().message;
  EXPECT_EQ(asked, 3);
  EXPECT_TRUE(server_.alive());
  server_.stop({{SIGTERM, seconds(10)}});
  EXPECT_FALSE(server_.alive());
}

TEST_F(ManagedServerTest, SaysHowAServerEndedThatWasNotReady) {
  const auto running = run("echo no room; exit 3", [] { return false; });
  ASSERT_FALSE(running);
  EXPECT_EQ(running.error().message,
            "the server ended with status 3; its log " + server_.log() + " ends:\nno room");
}

TEST_F(ManagedServerTest, GivesUpOnAServerThatIsNeverReady) {
  const auto running = server_.run(
      {.argv = {"sleep", "600"}}, milliseconds(1), [] { return false; }, [](auto) { return true; });
  ASSERT_FALSE(running);
  EXPECT_EQ(running.error().code, ErrorCode::kTimeout);
  EXPECT_NE(running.error().message.find("does not answer"), std::string::npos);
}

TEST_F(ManagedServerTest, KillsAServerThatIgnoresItsSignal) {
  ASSERT_TRUE(run("trap '' TERM; echo ready; while :; do sleep 0.05; done",
                  [this] { return log_has("ready"); }));
  server_.stop({{SIGTERM, milliseconds(50)}});
  EXPECT_FALSE(server_.alive());
}

TEST_F(ManagedServerTest, TakesAnotherPortWhenAProgramTookTheFirst) {
  std::uint16_t port = 0;
  std::vector<std::uint16_t> tried;
  const auto running = server_.run_on_port(port, "address in use", [&] {
    tried.push_back(port);
    return tried.size() < 3 ? run(
                                  "echo address in use; exit 1", [] { return false; })
                            : run("exec sleep 600", [] { return true; });
  });
  ASSERT_TRUE(running) << running.error().message;
  EXPECT_EQ(tried.size(), 3U);
  EXPECT_EQ(port, tried.back());
}

TEST_F(ManagedServerTest, KeepsThePortThatItWasGiven) {
  std::uint16_t port = 4711;
  int runs = 0;
  const auto running = server_.run_on_port(port, "address in use", [&] {
    ++runs;
    return run("echo address in use; exit 1", [] { return false; });
  });
  EXPECT_FALSE(running);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(port, 4711);
}

TEST_F(ManagedServerTest, DoesNotTryAgainAfterAnotherFailure) {
  std::uint16_t port = 0;
  int runs = 0;
  EXPECT_FALSE(server_.run_on_port(port, "address in use", [&] {
    ++runs;
    return run("echo no room; exit 1", [] { return false; });
  }));
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace toolway::local
