#include "tools/model/progress_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <thread>

namespace toolway::tools::model {
namespace {

ProgressReport numbered(double n) { return {.progress = n}; }

TEST(ProgressQueue, GivesReportsInOrder) {
  ProgressQueue queue{std::stop_token{}};
  queue.report({.progress = 1, .total = 3, .message = "one", .step = "s", .data = {{"k", 1}}});
  queue.report(numbered(2));
  queue.report(numbered(3));
  const auto first = queue.try_pop();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->progress, 1);
  EXPECT_EQ(first->total, 3);
  EXPECT_EQ(first->message, "one");
  EXPECT_EQ(first->data, (Json{{"k", 1}}));
  const auto rest = queue.take();
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[0].progress, 2);
  EXPECT_EQ(rest[1].progress, 3);
  EXPECT_FALSE(queue.try_pop());
  EXPECT_TRUE(queue.take().empty());
}

TEST(ProgressQueue, WakesOnlyWhenThereWasNothingBefore) {
  int wakes = 0;
  ProgressQueue queue{std::stop_token{}, [&] { ++wakes; }};
  queue.report(numbered(1));
  queue.report(numbered(2));
  EXPECT_EQ(wakes, 1);
  queue.take();
  queue.report(numbered(3));
  EXPECT_EQ(wakes, 2);
}

TEST(ProgressQueue, WakeMayTakeFromTheQueue) {
  std::vector<double> seen;
  ProgressQueue* self = nullptr;
  ProgressQueue queue{std::stop_token{}, [&] {
                        for (const auto& report : self->take()) seen.push_back(report.progress);
                      }};
  self = &queue;
  for (int i = 0; i < 1000; ++i) queue.report(numbered(i));
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(ProgressQueue, MakesAFasterToolWaitBeyondAHundred) {
  ProgressQueue queue{std::stop_token{}};
  std::atomic<int> reported{0};
  std::binary_semaphore done{0};
  std::jthread tool([&] {
    for (int i = 0; i < 150; ++i) {
      queue.report(numbered(i));
      ++reported;
    }
    done.release();
  });
  std::vector<double> seen;
  std::size_t most = 0;
  while (seen.size() < 150) {
    // What the tool got through is what was taken and what fits: never more.
    const int before = reported.load();
    EXPECT_LE(static_cast<std::size_t>(before), seen.size() + ProgressQueue::kCapacity);
    most = std::max(most, queue.size());
    if (queue.size() < ProgressQueue::kCapacity && seen.size() + queue.size() < 150) {
      std::this_thread::yield();
      continue;
    }
    if (auto report = queue.try_pop()) seen.push_back(report->progress);
  }
  done.acquire();
  EXPECT_EQ(most, ProgressQueue::kCapacity);
  for (int i = 0; i < 150; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST(ProgressQueue, CancellationFreesAWaitingTool) {
  std::stop_source cancel;
  ProgressQueue queue{cancel.get_token(), {}, 2};
  queue.report(numbered(1));
  queue.report(numbered(2));
  std::jthread tool([&] { queue.report(numbered(3)); });
  cancel.request_stop();
  tool.join();
  const auto left = queue.take();
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[1].progress, 2);
  queue.report(numbered(4));  // room again: a last word is still taken
  EXPECT_EQ(queue.size(), 1U);
}

TEST(ProgressQueue, CloseFreesAWaitingToolAndTakesNoMore) {
  ProgressQueue queue{std::stop_token{}, {}, 1};
  queue.report(numbered(1));
  std::jthread tool([&] { queue.report(numbered(2)); });
  queue.close();
  tool.join();
  ASSERT_EQ(queue.size(), 1U);
  queue.take();
  queue.report(numbered(3));
  EXPECT_EQ(queue.size(), 0U);
}

TEST(ProgressQueue, ManyToolThreadsLoseNothing) {
  ProgressQueue queue{std::stop_token{}, {}, 10};
  constexpr int kThreads = 4;
  constexpr int kEach = 2000;
  std::vector<std::jthread> tools;
  for (int t = 0; t < kThreads; ++t) {
    tools.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) queue.report(numbered(i));
    });
  }
  std::size_t taken = 0;
  while (taken < kThreads * kEach) {
    const auto some = queue.take();
    EXPECT_LE(some.size(), 10U);
    taken += some.size();
    if (some.empty()) std::this_thread::yield();
  }
  EXPECT_EQ(taken, static_cast<std::size_t>(kThreads * kEach));
}

}  // namespace
}  // namespace toolway::tools::model
