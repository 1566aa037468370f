#include "cli/bench/profile/process_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <semaphore>
#include <thread>

#include "local/child_process.h"

namespace toolway::cli::bench::profile {
namespace {

/// CPU of this thread, in µs.
double burnt() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

void burn(double us) {
  for (const double until = burnt() + us; burnt() < until;) {
  }
}

TEST(ProcessWatch, SaysWhatAProcessUsedInATime) {
  burn(100'000);
  ProcessWatch watch({{"gateway", {getpid()}}});
  watch.start();
  burn(200'000);
  std::binary_semaphore there(0);
  std::binary_semaphore back(0);
  std::thread other([&] {
    for (int i = 0; i < 200; ++i) {
      there.acquire();
      back.release();
    }
    burn(100'000);
  });
  for (int i = 0; i < 200; ++i) {
    there.release();
    back.acquire();
  }
  // What a thread had that has ended is not lost.
  other.join();
  auto used = watch.stop();
  ASSERT_TRUE(used) << used.error().message;
  const auto& use = used->roles["gateway"];
  // The kernel's counts have steps of 10 ms.
  EXPECT_GE(use.user_us + use.system_us, 280'000);
  EXPECT_LT(use.user_us + use.system_us, 3'000'000);
  EXPECT_GT(use.switches.voluntary, 0U);
  EXPECT_GE(used->others, 0);
  EXPECT_LT(used->others, 1);
}

TEST(ProcessWatch, CountsChildrenThatHaveEnded) {
  ProcessWatch watch({{"worker", {getpid()}}, {kClient, {getpid()}}});
  watch.start();
  auto child = local::ChildProcess::start(
      {.argv = {"sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"}});
  ASSERT_TRUE(child) << child.error().message;
  ASSERT_EQ((*child)->wait(std::chrono::seconds(60)), 0);
  auto used = watch.stop();
  ASSERT_TRUE(used) << used.error().message;
  const auto us = [&](const char* role) {
    return used->roles[role].user_us + used->roles[role].system_us;
  };
  EXPECT_GE(us("worker"), us(kClient) + 20'000) << "the client's children are the other roles";
}

TEST(ProcessWatch, KnowsTheChildrenOfChildren) {
  auto child = local::ChildProcess::start({.argv = {"sh", "-c", "sleep 60 & wait"}});
  ASSERT_TRUE(child) << child.error().message;
  const auto family = [&](const char* role) {
    return with_children({{role, {(*child)->pid()}}}).at(role);
  };
  while (family("worker").size() < 2) std::this_thread::yield();
  EXPECT_EQ(family("worker").size(), 2U);
  EXPECT_EQ(family(kClient).size(), 1U);
  // ctest waits until every process has ended that holds this test's output.
  for (const int pid : family("worker")) kill(pid, SIGKILL);
}

TEST(ProcessWatch, SaysThatAProcessHasEnded) {
  auto child = local::ChildProcess::start({.argv = {"true"}});
  ASSERT_TRUE(child) << child.error().message;
  ASSERT_EQ((*child)->wait(std::chrono::seconds(60)), 0);
  ProcessWatch watch({{"collector", {(*child)->pid()}}});
  watch.start();
  const auto used = watch.stop();
  ASSERT_FALSE(used);
  EXPECT_NE(used.error().message.find("collector"), std::string::npos) << used.error().message;
}

}  // namespace
}  // namespace toolway::cli::bench::profile
