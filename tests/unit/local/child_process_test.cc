#include "local/child_process.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "local/leftover.h"
#include "tests/support/temp_dir.h"

namespace toolway::local {
namespace {

using std::chrono::seconds;
using test::TempDir;

TEST(ChildProcess, ReportsItsExitStatus) {
  auto child = ChildProcess::start({.argv = {"sh", "-c", "exit 7"}});
  ASSERT_TRUE(child) << child.error().message;
  EXPECT_EQ((*child)->wait(seconds(10)), 7);
  EXPECT_EQ((*child)->poll(), 7);
}

TEST(ChildProcess, ReportsTheSignalThatEndedIt) {
  auto child = ChildProcess::start({.argv = {"sleep", "600"}});
  ASSERT_TRUE(child) << child.error().message;
  EXPECT_EQ((*child)->poll(), std::nullopt);
  EXPECT_EQ((*child)->wait(std::chrono::milliseconds(10)), std::nullopt);
  (*child)->signal(SIGKILL);
  EXPECT_EQ((*child)->wait(seconds(10)), 128 + SIGKILL);
}

TEST(ChildProcess, PassesEnvironmentAndKeepsALog) {
  const TempDir dir;
  const auto log = dir / "log";
  for (const char* word : {"one", "two"}) {
    auto child = ChildProcess::start({.argv = {"sh", "-c", "echo $WORD; echo $HOME >&2"},
                                      .environment = {{"WORD", word}, {"HOME", "nowhere"}},
                                      .log_file = log});
    ASSERT_TRUE(child) << child.error().message;
    EXPECT_EQ((*child)->wait(seconds(10)), 0);
  }
  EXPECT_EQ(tail(log), "one\nnowhere\ntwo\nnowhere");
}

TEST(ChildProcess, RefusesAProgramThatIsNotThere) {
  const auto child = ChildProcess::start({.argv = {"/nowhere/program"}});
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, ErrorCode::kNotFound);
}

TEST(ChildProcess, IsEndedByItsOwner) {
  int pid = 0;
  {
    auto child = ChildProcess::start({.argv = {"sleep", "600"}});
    ASSERT_TRUE(child) << child.error().message;
    pid = (*child)->pid();
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_NE(kill(pid, 0), 0);
}

TEST(ChildProcess, HasNoSignalBlockedAndAGroupOfItsOwn) {
  auto child = ChildProcess::start({.argv = {"sleep", "600"}});
  ASSERT_TRUE(child) << child.error().message;
  EXPECT_EQ(getpgid((*child)->pid()), (*child)->pid());
  (*child)->signal(SIGTERM);
  EXPECT_EQ((*child)->wait(seconds(10)), 128 + SIGTERM);
}

TEST(ChildProcess, OutlivesTheThreadThatStartedIt) {
  Result<std::unique_ptr<ChildProcess>> child = fail(ErrorCode::kInternal, "not started");
  std::thread([&] {
    child = ChildProcess::start({.argv = {"sh", "-c", "read x < \"$0\"; exit 3", "/dev/null"}});
  }).join();
  ASSERT_TRUE(child) << child.error().message;
  // Killed with the thread it would report 128 + SIGKILL.
  EXPECT_EQ((*child)->wait(seconds(10)), 3);
}

TEST(Leftover, LeavesAProcessAloneThatIsNotOurs) {
  auto child = ChildProcess::start({.argv = {"sleep", "600"}});
  ASSERT_TRUE(child) << child.error().message;
  EXPECT_TRUE(end_leftover((*child)->pid(), [](int) { return false; }, seconds(0), SIGKILL));
  EXPECT_EQ((*child)->poll(), std::nullopt);
}

TEST(Leftover, EndsOneThatIsOurs) {
  auto child = ChildProcess::start({.argv = {"sleep", "600"}});
  ASSERT_TRUE(child) << child.error().message;
  EXPECT_TRUE(end_leftover((*child)->pid(), [](int) { return true; }, std::chrono::milliseconds(1),
                           SIGTERM));
  EXPECT_EQ((*child)->wait(seconds(10)), 128 + SIGTERM);
}

TEST(Leftover, FindsWhoWorksInADirectory) {
  const test::TempDir dir;
  auto child = ChildProcess::start(
      {.argv = {"sh", "-c", "cd \"$0\" && : >there && exec sleep 600", dir.path().string()}});
  ASSERT_TRUE(child) << child.error().message;
  while (!std::filesystem::exists(dir / "there") && !(*child)->poll())
    (*child)->wait(std::chrono::milliseconds(5));
  EXPECT_EQ(processes_in(dir.path().string()), std::vector<int>{(*child)->pid()});
  EXPECT_TRUE(processes_in(dir / "nowhere").empty());
}

TEST(Leftover, TellsTheLastWholeLinesOfALog) {
  const test::TempDir dir;
  std::ofstream(dir / "log") << "the first line\nthe second\nthe third\n";
  EXPECT_EQ(tail(dir / "log"), "the first line\nthe second\nthe third");
  EXPECT_EQ(tail(dir / "log", 15), "the third");
  EXPECT_EQ(tail(dir / "nowhere"), "");
}

}  // namespace
}  // namespace toolway::local
