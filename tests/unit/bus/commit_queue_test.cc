#include "bus/commit_queue.h"

#include <gtest/gtest.h>

#include <string>

namespace toolway::bus {
namespace {

constexpr CommitQueue::Limits kLimits{.least = 4, .singles = 2, .most = 6, .bytes = 100};

/// Publications are named by their payloads.
class CommitQueueTest : public testing::Test {
 protected:
  CommitQueueTest() { queue_.allow_batches(true); }

  void add(const std::string& names) {
    for (const char name : names) queue_.add({{.subject = "call.a", .payload = {name}}, {}});
  }
  static std::string names(const std::vector<PendingPublication>& group) {
    std::string names;
    for (const auto& pending : group) names += pending.publication.payload.front();
    return names;
  }
  std::string next() { return names(queue_.next()); }

  CommitQueue queue_{kLimits};
};

TEST_F(CommitQueueTest, SendsFewSinglyAndAtOnce) {
  add("ab");
  EXPECT_EQ(next(), "a");
  EXPECT_EQ(next(), "b");
  EXPECT_EQ(next(), "");
}

TEST_F(CommitQueueTest, SendsABurstTogether) {
  add("abcde");
  EXPECT_EQ(next(), "abcde");
  EXPECT_EQ(next(), "");
  EXPECT_EQ(queue_.open(), 5U);
}

TEST_F(CommitQueueTest, GathersWhileSinglesAreUnanswered) {
  add("ab");
  next();
  next();
  add("cde");
  EXPECT_EQ(next(), "");
  add("f");
  EXPECT_EQ(next(), "cdef");
}

TEST_F(CommitQueueTest, SendsSinglyWhatDoesNotGatherInTime) {
  add("ab");
  next();
  next();
  add("cd");
  EXPECT_EQ(next(), "");
  queue_.single_answered();
  EXPECT_EQ(next(), "c");
  EXPECT_EQ(next(), "");
}

TEST_F(CommitQueueTest, SendsNothingWhileABatchIsUnanswered) {
  add("abcd");
  EXPECT_EQ(next(), "abcd");
  add("efghi");
  EXPECT_EQ(next(), "");
  queue_.batch_answered();
  EXPECT_EQ(next(), "efghi");
}

TEST_F(CommitQueueTest, SendsARefusedBatchSinglyBeforeWhatWaits) {
  add("abcd");
  auto batch = queue_.next();
  add("efgh");
  queue_.batch_refused(std::move(batch));
  EXPECT_EQ(next(), "a");
  EXPECT_EQ(next(), "b");
  EXPECT_EQ(next(), "c");
  EXPECT_EQ(next(), "d");
  EXPECT_EQ(next(), "efgh");
  EXPECT_EQ(queue_.open(), 8U);
}

TEST_F(CommitQueueTest, BoundsABatch) {
  add("abcdefgh");
  EXPECT_EQ(next(), "abcdef");
}

TEST_F(CommitQueueTest, SendsLargeOnesSingly) {
  for (int i = 0; i < 8; ++i)
    queue_.add({{.subject = "call.a", .payload = std::string(40, 'x')}, {}});
  EXPECT_EQ(queue_.next().size(), 1U);
}

TEST_F(CommitQueueTest, WaitsForNothingOnceTheStreamTakesNoBatches) {
  add("ab");
  next();
  next();
  add("cde");
  EXPECT_EQ(next(), "");
  queue_.allow_batches(false);
  EXPECT_EQ(next(), "c");
  EXPECT_EQ(next(), "d");
  EXPECT_EQ(next(), "e");
}

TEST_F(CommitQueueTest, GivesBackWhatWasNotSentInItsOrder) {
  add("abcd");
  auto batch = queue_.next();
  add("ef");
  queue_.batch_refused(std::move(batch));
  EXPECT_EQ(next(), "a");
  EXPECT_EQ(names(queue_.take_unsent()), "bcdef");
  EXPECT_EQ(queue_.open(), 1U);
}

}  // namespace
}  // namespace toolway::bus
