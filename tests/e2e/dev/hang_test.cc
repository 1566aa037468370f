#include <gtest/gtest.h>

#include <csignal>

#include "tests/e2e/dev/dev_stack.h"

namespace toolway::cli {
namespace {

TEST(DevHang, ANatsServerThatLivesAndDoesNotAnswerIsStartedAgain) {
  const test::TempDir dir;
  Dev dev(dir);
  const auto url = dev.url();
  ASSERT_FALSE(url.empty()) << dev.log();
  ASSERT_EQ(call_and_wait(url).outcome, "succeeded");
  const int before = dev.pid_of("nats");
  kill(before, SIGSTOP);
  EXPECT_TRUE(wait_for(
      [&] {
        return dev.says("(pid " + std::to_string(before) +
                        ") is running but has not answered for 15 s");
      },
      std::chrono::seconds(60)))
      << dev.log();
  EXPECT_TRUE(wait_for([&] { return dev.says("nats-server is back"); }, std::chrono::seconds(60)))
      << dev.log();
  EXPECT_TRUE(wait_for([&] { return call_and_wait(url).outcome == "succeeded"; })) << dev.log();
  EXPECT_TRUE(wait_for([&] { return dev.pid_of("nats") != before; })) << dev.log();
  dev.process->signal(SIGTERM);
  EXPECT_EQ(dev.process->wait(std::chrono::seconds(60)), 0) << dev.log();
}

TEST(DevHang, EndsWithAFrozenNatsServerAndAFrozenPostgres) {
  const test::TempDir dir;
  Dev dev(dir);
  ASSERT_FALSE(dev.url().empty()) << dev.log();
  kill(dev.pid_of("nats"), SIGSTOP);
  kill(dev.pid_of("postgres"), SIGSTOP);
  dev.process->signal(SIGTERM);
  EXPECT_EQ(dev.process->wait(std::chrono::seconds(90)), 0) << dev.log();
  EXPECT_FALSE(dev.says("killing ")) << dev.log();
}

}  // namespace
}  // namespace toolway::cli
