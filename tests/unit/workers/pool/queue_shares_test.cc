#include "workers/pool/queue_shares.h"

#include <gtest/gtest.h>

#include <array>

namespace toolway::workers::pool {
namespace {

using proto::Lane;

struct Bench {
  explicit Bench(std::size_t slots) : shares(slots) {
    normal = shares.add("p-normal-0", Lane::kNormal);
    bulk = shares.add("p-bulk-0", Lane::kBulk);
  }
  /// What each queue is asked for now.
  std::array<std::size_t, 2> ask() {
    std::array<std::size_t, 2> asked{};
    for (const auto& ask : shares.ask()) asked[ask.queue] += ask.count;
    return asked;
  }
  QueueShares shares;
  std::size_t normal, bulk;
};

using Pair = std::array<std::size_t, 2>;

TEST(QueueShares, AsksEmptyQueuesForAnEighth) {
  Bench bench(128);
  EXPECT_EQ(bench.ask(), (Pair{16, 16}));
  EXPECT_EQ(bench.ask(), (Pair{0, 0}));
  ASSERT_TRUE(bench.shares.take(bench.normal, 0));
  EXPECT_EQ(bench.ask(), (Pair{1, 0}));
}

TEST(QueueShares, AQueueThatHasCallsWaitingGetsAllExceptTheOthersProbe) {
  Bench bench(128);
  bench.ask();
  ASSERT_TRUE(bench.shares.take(bench.bulk, 1000));
  EXPECT_EQ(bench.ask(), (Pair{0, 128 - 1 - 16 - 15}));
  EXPECT_EQ(bench.shares.asked() + bench.shares.held(), 128U);
}

TEST(QueueShares, AsksForNoMoreThanWaits) {
  Bench bench(128);
  bench.ask();
  ASSERT_TRUE(bench.shares.take(bench.normal, 20));
  EXPECT_EQ(bench.ask(), (Pair{5, 0}));
}

TEST(QueueShares, GivesNormalFourOfFiveWhenBothHaveCallsWaiting) {
  Bench bench(10);
  bench.ask();
  ASSERT_TRUE(bench.shares.take(bench.normal, 100000));
  ASSERT_TRUE(bench.shares.take(bench.bulk, 100000));
  Pair taken{};
  for (int i = 0; i < 5000; ++i) {
    for (const auto& ask : bench.shares.ask()) {
      for (std::size_t n = 0; n < ask.count; ++n) {
        ASSERT_TRUE(bench.shares.take(ask.queue, 100000));
        ++taken[ask.queue];
      }
    }
    ASSERT_EQ(bench.shares.held() + bench.shares.asked(), 10U);
    bench.shares.release();
  }
  EXPECT_NEAR(static_cast<double>(taken[0]) / static_cast<double>(taken[1]), 4, 0.05);
}

TEST(QueueShares, NeverExceedsItsSlotsAndNeverForgetsAQueue) {
  Bench bench(16);
  std::uint64_t random = 7;
  for (int step = 0; step < 20000; ++step) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::size_t queue = (random >> 33) % 2;
    switch ((random >> 40) % 4) {
      case 0: bench.ask(); break;
      case 1: {
        bool asked = false;
        for (const auto& ask : bench.shares.all_asked()) asked |= ask.queue == queue;
        if (asked) {
          ASSERT_TRUE(bench.shares.take(queue, (random >> 45) % 30));
        }
        break;
      }
      case 2:
        if (bench.shares.held() > 0) bench.shares.release();
        break;
      default:
        for (const auto& ask : bench.shares.too_many()) bench.shares.taken_back(ask);
    }
    ASSERT_LE(bench.shares.held() + bench.shares.asked(), 16U) << step;
  }
  while (bench.shares.held() > 0) bench.shares.release();
  for (int i = 0; i < 2; ++i) {
    for (const auto& ask : bench.shares.too_many()) bench.shares.taken_back(ask);
  }
  bench.ask();
  EXPECT_EQ(bench.shares.all_asked().size(), 2U);
}

TEST(QueueShares, WhatAQuietQueueWasAskedForIsTakenBack) {
  Bench bench(128);
  bench.ask();
  ASSERT_TRUE(bench.shares.take(bench.bulk, 1000));
  bench.ask();  // other workers take the thousand
  EXPECT_TRUE(bench.shares.too_many().empty());
  const auto back = bench.shares.too_many();
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].queue, bench.bulk);
  EXPECT_EQ(back[0].count, 128U - 1 - 16 - 16);
  bench.shares.taken_back(back[0]);
  ASSERT_TRUE(bench.shares.take(bench.normal, 1000));
  EXPECT_EQ(bench.ask()[0], 128U - 2 - 16 - 15);
}

TEST(QueueShares, WithOneSlotEachQueueIsAskedForOne) {
  Bench bench(1);
  EXPECT_EQ(bench.ask(), (Pair{1, 1}));
  ASSERT_TRUE(bench.shares.take(bench.normal, 5));
  EXPECT_FALSE(bench.shares.take(bench.bulk, 5));
  EXPECT_EQ(bench.ask(), (Pair{0, 0}));
  Pair taken{};
  for (int i = 0; i < 100; ++i) {
    bench.shares.release();
    const auto asked = bench.ask();
    ASSERT_EQ(asked[0] + asked[1], 1U);
    const std::size_t queue = asked[0] == 1 ? 0 : 1;
    ASSERT_TRUE(bench.shares.take(queue, 5));
    ++taken[queue];
  }
  EXPECT_EQ(taken, (Pair{80, 20}));
}

TEST(QueueShares, AQueueThatAppearsIsAskedAndOneThatGoesIsForgotten) {
  Bench bench(16);
  bench.ask();
  const auto second = bench.shares.add("p-normal-1", Lane::kNormal);
  EXPECT_EQ(bench.shares.add("p-normal-1", Lane::kNormal), second);
  const auto asks = bench.shares.ask();
  ASSERT_EQ(asks.size(), 1U);
  EXPECT_EQ(asks[0].queue, second);
  bench.shares.remove(bench.normal);
  for (const auto& ask : bench.shares.all_asked()) EXPECT_NE(ask.queue, bench.normal);
  EXPECT_EQ(bench.shares.add("p-normal-0", Lane::kNormal), bench.normal);
}

}  // namespace
}  // namespace toolway::workers::pool
