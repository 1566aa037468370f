#include "gateway/loop/bus_turns.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "tests/support/awaiting.h"

namespace toolway::gateway::loop {
namespace {

/// Counts the ends of turns.
class Gathers final : public bus::Loop::Source {
 public:
  void ready(std::uint32_t) override {}
  void end_turn() override { ++ends; }
  int ends = 0;
};

class BusTurnsTest : public testing::Test {
 protected:
  /// The thread that runs a task of the bus which another thread posts.
  std::thread::id runs_on() {
    test::Awaited<std::thread::id> on;
    turns_.loop().post([told = on.callback()] { told(std::this_thread::get_id()); });
    return on.next().value_or(std::thread::id());
  }

  bus::LoopThread turns_;
  asio::io_context io_{1};
};

TEST_F(BusTurnsTest, AreTakenOnTheThreadOfTheIoContextAndGivenBack) {
  turns_.start();
  EXPECT_NE(runs_on(), std::this_thread::get_id());
  auto work = asio::make_work_guard(io_);
  std::optional<BusTurns> taken(std::in_place, io_, &turns_);
  taken->begin();
  std::thread runs([&] { io_.run(); });
  const auto io_thread = runs.get_id();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(runs_on(), io_thread);
  asio::post(io_, [&] {
    taken->end();
    work.reset();
  });
  runs.join();  // nothing of the bus keeps it at work
  taken.reset();
  const auto back = runs_on();
  EXPECT_NE(back, std::thread::id());
  EXPECT_NE(back, std::this_thread::get_id());
}

TEST_F(BusTurnsTest, WhatOneTurnOfTheIoContextGathersEndsOnce) {
  Gathers source;
  turns_.loop().add(source);
  BusTurns taken(io_, &turns_);
  taken.begin();
  turns_.loop().post([] {});
  io_.run_one();  // from now on this is the loop's thread
  const int before = source.ends;
  asio::post(io_, [&] {
    for (int i = 0; i < 5; ++i) turns_.loop().wake();
  });
  io_.run_one();
  EXPECT_EQ(source.ends, before);
  io_.run_one();
  EXPECT_EQ(source.ends, before + 1);
  taken.end();
  io_.run();
  turns_.loop().remove(source);
}

TEST_F(BusTurnsTest, OfABusThatHasNoneAreNotTaken) {
  BusTurns none(io_, nullptr);
  none.begin();
  EXPECT_EQ(io_.run(), 0U);
  none.end();
}

}  // namespace
}  // namespace toolway::gateway::loop
