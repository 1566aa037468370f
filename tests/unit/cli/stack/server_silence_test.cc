#include <gtest/gtest.h>

#include "cli/stack/server_watch.h"

namespace toolway::cli::stack {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr DiskWatch::Time kStart{seconds(1000)};

local::DiskSpace with_free(std::uint64_t mib) {
  return {.size = 400 * kMiB, .free = mib * kMiB, .device = 1};
}

TEST(SilentServers, AreStartedAgainAfterAWhileAndNotOnAFullDisk) {
  EXPECT_EQ(judge_silence(milliseconds(14'999), DiskState::kRoom), SilentServer::kLeave);
  EXPECT_EQ(judge_silence(seconds(15), DiskState::kRoom), SilentServer::kStartAgain);
  EXPECT_EQ(judge_silence(seconds(15), DiskState::kNearlyFull), SilentServer::kStartAgain);
  EXPECT_EQ(judge_silence(seconds(15), DiskState::kFull), SilentServer::kWaitForRoom);
  EXPECT_EQ(judge_silence(seconds(3), DiskState::kFull), SilentServer::kLeave);
}

TEST(DiskStates, TellFullFromNearlyFull) {
  EXPECT_EQ(disk_state(with_free(15)), DiskState::kFull);
  EXPECT_EQ(disk_state(with_free(16)), DiskState::kNearlyFull);
  EXPECT_EQ(disk_state(with_free(39)), DiskState::kNearlyFull);
  EXPECT_EQ(disk_state(with_free(40)), DiskState::kRoom);
  // A tenth of a large disk is room enough.
  EXPECT_EQ(disk_state({.size = 100'000 * kMiB, .free = 1024 * kMiB}), DiskState::kRoom);
  EXPECT_EQ(disk_state({.size = 100'000 * kMiB, .free = 1023 * kMiB}), DiskState::kNearlyFull);
}

TEST(DiskWatches, SayWhatIsWrongWhileItLastsAndWhenItHasEnded) {
  DiskWatch watch("/data/nats");
  EXPECT_FALSE(watch.look(with_free(200), kStart));
  const auto full = watch.look(with_free(0), kStart + seconds(1));
  ASSERT_TRUE(full);
  EXPECT_NE(full->find("disk full: /data/nats has 0.0 MiB (0 bytes) free of 400.0 MiB"),
            std::string::npos)
      << *full;
  EXPECT_FALSE(watch.look(with_free(0), kStart + seconds(30)));
  EXPECT_TRUE(watch.look(with_free(0), kStart + seconds(31)));
  const auto room = watch.look(with_free(300), kStart + seconds(32));
  ASSERT_TRUE(room);
  EXPECT_NE(room->find("has room again"), std::string::npos) << *room;
  EXPECT_FALSE(watch.look(with_free(300), kStart + seconds(90)));
}

/// A server that lives and, as told, answers.
struct Scripted {
  bool answers = true;
  int killed = 0;
  int started = 0;
  std::string said;
  ServerWatch watch{{.name = "nats-server",
                     .log_file = "nats.log",
                     .alive = [] { return true; },
                     .pid = [] { return 7; },
                     .restart = [this]() -> Result<void> {
                       ++started;
                       return {};
                     },
                     .answers = [this] { return answers; },
                     .kill = [this] { ++killed; }},
                    kStart};
  /// A look each second, and the answers of what each one asks.
  void pass(int from, int to, DiskState disk) {
    for (int second = from; second < to; ++second) {
      watch.supervise(kStart + seconds(second), disk,
                      [this](const std::string& text) { said += text + "\n"; });
      watch.finish();
    }
  }
};

TEST(ServerWatches, KillAndStartAServerThatLivesAndHangs) {
  Scripted server;
  server.pass(0, 5, DiskState::kRoom);
  server.answers = false;
  server.pass(5, 19, DiskState::kRoom);
  EXPECT_EQ(server.killed, 0) << server.said;
  server.pass(19, 22, DiskState::kRoom);
  EXPECT_EQ(server.killed, 1) << server.said;
  EXPECT_EQ(server.started, 1);
  EXPECT_NE(
      server.said.find(
          "nats-server (pid 7) is running but has not answered for 15 s: killing and restarting it"),
      std::string::npos)
      << server.said;
  EXPECT_NE(server.said.find("is back"), std::string::npos) << server.said;
}

TEST(ServerWatches, WaitForRoomBeforeTheyStartAServerThatHangs) {
  Scripted server;
  server.pass(0, 2, DiskState::kRoom);
  server.answers = false;
  server.pass(2, 60, DiskState::kFull);
  EXPECT_EQ(server.killed, 0) << server.said;
  EXPECT_NE(server.said.find("it will be restarted once its disk has room"), std::string::npos)
      << server.said;
  server.pass(60, 62, DiskState::kNearlyFull);
  EXPECT_EQ(server.killed, 1) << server.said;
}

TEST(ServerWatches, LeaveAServerThatAnswersInTheEnd) {
  Scripted server;
  server.answers = false;
  server.pass(0, 14, DiskState::kRoom);
  server.answers = true;
  server.pass(14, 16, DiskState::kRoom);
  server.answers = false;
  server.pass(16, 30, DiskState::kRoom);
  EXPECT_EQ(server.killed, 0) << server.said;
}

}  // namespace
}  // namespace toolway::cli::stack
