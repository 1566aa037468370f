#include "monitoring/otlp/span_queue.h"

#include <gtest/gtest.h>

#include <thread>

namespace toolway::monitoring::otlp {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Time = SpanQueue::Time;

const Time kNow = std::chrono::steady_clock::now();

Span named(const std::string& name) {
  Span span;
  span.name = name;
  return span;
}

TEST(SpanQueue, DropsTheNewestWhenItIsFull) {
  SpanQueue queue({.waiting = 3, .batch = 2, .per_second = 100, .delay = hours(1)});
  for (const char* name : {"a", "b", "c"})
    EXPECT_EQ(queue.push(named(name), kNow), SpanQueue::Pushed::kKept);
  EXPECT_EQ(queue.push(named("d"), kNow), SpanQueue::Pushed::kDropped);
  auto batch = queue.take(Time::max());
  ASSERT_EQ(batch.size(), 2U);
  EXPECT_EQ(batch[0].name, "a");
  EXPECT_EQ(batch[1].name, "b");
  EXPECT_EQ(queue.push(named("e"), kNow), SpanQueue::Pushed::kKept);
  batch = queue.take(Time::max());
  ASSERT_EQ(batch.size(), 2U);
  EXPECT_EQ(batch[0].name, "c");
  EXPECT_EQ(batch[1].name, "e");
}

TEST(SpanQueue, TakesALimitedNumberPerSecond) {
  SpanQueue queue({.waiting = 100, .batch = 100, .per_second = 2, .delay = hours(1)});
  EXPECT_EQ(queue.push({}, kNow), SpanQueue::Pushed::kKept);
  EXPECT_EQ(queue.push({}, kNow + milliseconds(10)), SpanQueue::Pushed::kKept);
  EXPECT_EQ(queue.push({}, kNow + milliseconds(999)), SpanQueue::Pushed::kDropped);
  EXPECT_EQ(queue.push({}, kNow + seconds(1)), SpanQueue::Pushed::kKept);
  EXPECT_EQ(queue.size(), 3U);
}

TEST(SpanQueue, GivesWhatIsOldThoughItIsNotABatch) {
  SpanQueue queue({.waiting = 100, .batch = 100, .per_second = 100, .delay = seconds(5)});
  queue.push(named("old"), kNow - seconds(6));
  EXPECT_EQ(queue.take(Time::max()).size(), 1U);
  EXPECT_TRUE(queue.take(kNow).empty()) << "until came, and nothing else";
}

TEST(SpanQueue, WakesWhoWaits) {
  SpanQueue queue({.waiting = 100, .batch = 2, .per_second = 100, .delay = hours(1)});
  std::jthread other([&queue] {
    queue.push(named("a"), std::chrono::steady_clock::now());
    queue.push(named("b"), std::chrono::steady_clock::now());
  });
  EXPECT_EQ(queue.take(Time::max()).size(), 2U);
}

TEST(SpanQueue, ClosedGivesWhatIsLeftAndTakesNoMore) {
  SpanQueue queue({.waiting = 100, .batch = 2, .per_second = 100, .delay = hours(1)});
  queue.push(named("a"), kNow);
  queue.close();
  EXPECT_EQ(queue.push(named("b"), kNow), SpanQueue::Pushed::kDropped);
  EXPECT_EQ(queue.take(Time::max()).size(), 1U);
  EXPECT_TRUE(queue.take(Time::max()).empty());
}

}  // namespace
}  // namespace toolway::monitoring::otlp
