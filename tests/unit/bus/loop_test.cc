#include "bus/loop.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <vector>

#include "bus/loop_thread.h"
#include "tests/support/awaiting.h"

namespace toolway::bus {
namespace {

using namespace std::chrono_literals;

MonotonicTime now() { return std::chrono::steady_clock::now(); }

bool readable(int file, std::chrono::milliseconds within = 0ms) {
  pollfd wanted{.fd = file, .events = POLLIN, .revents = 0};
  return poll(&wanted, 1, static_cast<int>(within.count())) == 1;
}

TEST(Loop, ATaskOfAnotherThreadMakesItReadableOnceUntilItsTurn) {
  Loop loop;
  loop.turn();
  EXPECT_FALSE(readable(loop.fd()));
  std::vector<int> ran;
  std::thread([&] {
    loop.post([&] { ran.push_back(1); });
    loop.post([&] { ran.push_back(2); });
  }).join();
  EXPECT_TRUE(readable(loop.fd()));
  loop.turn();
  EXPECT_EQ(ran, (std::vector{1, 2}));
  EXPECT_FALSE(readable(loop.fd()));
}

TEST(Loop, ATaskThatATaskPostsRunsInTheNextTurn) {
  Loop loop;
  int ran = 0;
  loop.post([&] { loop.post([&] { ++ran; }); });
  loop.turn();
  EXPECT_EQ(ran, 0);
  EXPECT_TRUE(readable(loop.fd())) << "or it would wait for the next event";
  loop.turn();
  EXPECT_EQ(ran, 1);
}

TEST(Loop, WhatATaskThrowsEndsThere) {
  Loop loop;
  bool ran = false;
  loop.post([] { throw std::bad_alloc(); });
  loop.post([&] { ran = true; });
  loop.turn();
  EXPECT_TRUE(ran);
}

TEST(Loop, TimersRunOnceInTheOrderOfTheirTimes) {
  Loop loop;
  std::vector<std::string> ran;
  Loop::Timer late(loop, [&] { ran.push_back("late"); });
  Loop::Timer soon(loop, [&] { ran.push_back("soon"); });
  Loop::Timer never(loop, [&] { ran.push_back("never"); });
  late.set(now() + 20ms);
  soon.set(now() + 1h);
  soon.set(now() + 10ms);  // forgets what was set before
  never.set(now() + 1h);
  loop.turn();
  EXPECT_TRUE(ran.empty());
  while (ran.size() < 2) {
    ASSERT_TRUE(readable(loop.fd(), 5s));
    loop.turn();
  }
  EXPECT_EQ(ran, (std::vector<std::string>{"soon", "late"}));
}

TEST(Loop, ATimeThatHasPassedMeansNow) {
  Loop loop;
  int ran = 0;
  Loop::Timer timer(loop, [&] { ++ran; });
  timer.set(MonotonicTime::min());
  EXPECT_TRUE(readable(loop.fd(), 5s));
  loop.turn();
  loop.turn();
  EXPECT_EQ(ran, 1);
}

TEST(Loop, ATimerThatWasStoppedDoesNotRun) {
  Loop loop;
  int ran = 0;
  Loop::Timer other(loop, [&] { ++ran; });
  Loop::Timer first(loop, [&] { other.stop(); });
  other.set(now());
  first.set(MonotonicTime::min());
  ASSERT_TRUE(readable(loop.fd(), 5s));
  loop.turn();
  loop.turn();
  EXPECT_EQ(ran, 0);
}

TEST(Loop, StoppingATimerWaitsForItsTask) {
  LoopThread turns;
  turns.start();
  std::atomic<bool> inside = false;
  std::atomic<bool> left = false;
  Loop::Timer timer(turns.loop(), [&] {
    inside = true;
    std::this_thread::sleep_for(20ms);
    left = true;
  });
  timer.set(MonotonicTime::min());
  while (!inside) std::this_thread::yield();
  timer.stop();
  EXPECT_TRUE(left);
}

/// Counts how often it may send what was gathered.
class Gathers final : public Loop::Source {
 public:
  void ready(std::uint32_t) override { ++reads; }
  void end_turn() override { ++ends; }
  int reads = 0;
  int ends = 0;
};

TEST(Loop, ASourceIsToldOnceWhenATurnEnds) {
  Loop loop;
  Gathers source;
  loop.add(source);
  for (int i = 0; i < 3; ++i) loop.post([&] { loop.wake(); });
  loop.turn();
  EXPECT_EQ(source.ends, 1);
  loop.remove(source);
  loop.turn();
  EXPECT_EQ(source.ends, 1);
}

TEST(Loop, ASourceHearsOfItsSocketUntilItIsForgotten) {
  Loop loop;
  Gathers source;
  loop.add(source);
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  loop.watch(source, ends[0]);
  loop.turn();
  EXPECT_EQ(source.reads, 0);
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  EXPECT_TRUE(readable(loop.fd()));
  loop.turn();
  EXPECT_EQ(source.reads, 1);
  loop.watch_writable(source, ends[0], true);
  loop.turn();
  EXPECT_EQ(source.reads, 2);
  loop.forget(ends[0]);
  loop.turn();
  EXPECT_EQ(source.reads, 2);
  close(ends[0]);
  close(ends[1]);
}

TEST(Loop, ItsOwnerIsAskedOnceToEndATurn) {
  Loop loop;
  Gathers source;
  loop.add(source);
  int asked = 0;
  loop.ask_owner([&] { ++asked; });
  loop.turn();
  loop.wake();
  loop.wake();
  EXPECT_EQ(asked, 1);
  EXPECT_FALSE(readable(loop.fd())) << "no system call";
  loop.end_turn();
  EXPECT_EQ(source.ends, 2);
  loop.wake();
  EXPECT_EQ(asked, 2);
  std::thread([&] { loop.wake(); }).join();
  EXPECT_EQ(asked, 2);
  EXPECT_TRUE(readable(loop.fd())) << "another thread is not the owner";
}

TEST(Loop, WhatIsHandedOverInAPauseNeedsNoCallAndTheNextTurnDoesItWithoutWaiting) {
  Loop loop;
  loop.turn();
  loop.pause();
  EXPECT_FALSE(loop.here());
  int ran = 0;
  std::thread([&] { loop.post([&] { ++ran; }); }).join();
  EXPECT_FALSE(readable(loop.fd()));
  loop.wait();
  EXPECT_EQ(ran, 1);
  loop.pause();
  loop.wait();
  std::thread([&] { loop.post([&] { ++ran; }); }).join();
  EXPECT_TRUE(readable(loop.fd())) << "the pause has ended";
  loop.wait();
  EXPECT_EQ(ran, 2);
}

TEST(LoopThread, ItsTurnsCanBeTakenOverAndGivenBack) {
  LoopThread turns;
  test::Awaited<std::thread::id> on;
  const auto post = [&] {
    turns.loop().post([told = on.callback()] { told(std::this_thread::get_id()); });
  };
  turns.start();
  post();
  const auto own = on.next();
  ASSERT_TRUE(own);
  EXPECT_NE(*own, std::this_thread::get_id());
  turns.stop();
  post();
  EXPECT_FALSE(turns.loop().here());
  turns.loop().turn();
  EXPECT_TRUE(turns.loop().here());
  EXPECT_EQ(on.next(), std::this_thread::get_id());
  turns.loop().disown();
  turns.start();
  post();
  const auto again = on.next();
  ASSERT_TRUE(again);
  EXPECT_NE(*again, std::this_thread::get_id());
}

TEST(Loop, SaysWhenTurnsBeginInAThreadAndWhenEachEnds) {
  std::string seen;
  Loop loop({.begins = [&] { seen += "begins "; }, .ended = [&] { seen += "ended "; }});
  const auto wait = [&] {
    loop.post([&] { seen += "turn "; });
    loop.wait();
  };
  wait();
  wait();
  EXPECT_EQ(seen, "begins turn ended turn ended ");
  seen.clear();
  loop.pause();
  seen += "something else ";
  wait();
  EXPECT_EQ(seen, "something else begins turn ended ");
  seen.clear();
  std::thread(wait).join();
  EXPECT_EQ(seen, "begins turn ended ");
}

TEST(LoopThread, SaysWhenItsTurnsEnd) {
  int ended = 0;
  LoopThread turns({.begins = {}, .ended = [&] { ++ended; }});
  test::Awaited<int> seen;
  // On its thread, since a task that is posted in a turn runs in the next one.
  turns.loop().post([&] { turns.loop().post([&, told = seen.callback()] { told(int{ended}); }); });
  turns.start();
  EXPECT_EQ(seen.next(), 1);
  turns.stop();
  EXPECT_GE(ended, 2);
}

}  // namespace
}  // namespace toolway::bus
