#include "gateway/live/feed_cursor.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "proto/codec.h"

namespace toolway::gateway::live {
namespace {

using Step = FeedCursor::Step;
using Follows = FeedCursor::Follows;
using Sequences = std::vector<std::uint64_t>;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kLife = 7;

/// The record of one session or call, and a reader that is shown it.
class FeedCursorTest : public testing::Test {
 protected:
  struct Event {
    std::string call;
    std::uint32_t seq;
    bool completes = false;
    bool merged = false;
  };

  static v1::CallEvent event_of(const Event& given) {
    v1::CallEvent event;
    event.set_call_id(given.call);
    event.set_seq(given.seq);
    event.set_time_us(to_unix_us(kStored));
    if (given.completes) {
      event.mutable_completed()->set_merged_start(given.merged);
    } else {
      event.mutable_started();
    }
    return event;
  }

  /// Stored, and recorded by the collectors.
  std::uint64_t record(const Event& event) {
    recorded_.push_back(event_of(event));
    return recorded_.size();
  }
  /// Stored, and heard live.
  void live(FeedCursor& cursor, const Event& event) { hear(cursor, record(event)); }
  void hear(FeedCursor& cursor, std::uint64_t sequence) {
    cursor.live(
        std::make_shared<const LiveEvent>(LiveEvent{recorded_[sequence - 1], sequence, 100}));
  }

  bus::StoredMessage stored(std::uint64_t sequence) const {
    v1::CallEvent event = recorded_[sequence - 1];
    event.set_call_id("0192a000-0000-7000-8000-000000000001");
    event.set_session_key("0123456789abcdef0123456789abcdef");
    return {.subject = {}, .payload = proto::encode(event), .sequence = sequence, .stored_at = {}};
  }

  bus::StreamState stream() const {
    bus::StreamState state;
    state.incarnation = kLife;
    state.first_sequence = 1;
    state.last_sequence = recorded_.size();
    return state;
  }

  FeedCursor begun(std::optional<wire::EventId> after, Follows follows = Follows::kSession,
                   bool completed = false) {
    FeedCursor cursor(follows, after, completed);
    EXPECT_TRUE(cursor.begin(stream(), recorded_.size()));
    return cursor;
  }

  /// One page of the record.
  void read(FeedCursor& cursor) {
    ++reads_;
    for (RecordCursor& from = cursor.record(); from.next() != RecordCursor::Step::kTake;) {
      if (from.next() == RecordCursor::Step::kAskEnd) {
        ASSERT_TRUE(from.end_is(stream(), recorded_.size()));
        continue;
      }
      ASSERT_EQ(from.next(), RecordCursor::Step::kReadStore);
      RecordCursor::Page page;
      for (auto at = from.at().sequence; at < recorded_.size() && page.size() < from.limit().rows;
           ++at) {
        if (!lost_.contains(at + 1)) page.push_back({{kLife, at + 1}, recorded_[at]});
      }
      ASSERT_TRUE(from.from_store(page));
      // What is left of the stream has nothing that the store lacks.
      if (from.next() == RecordCursor::Step::kReadStream) FAIL() << "everything is recorded";
    }
    cursor.page_read();
  }

  /// Shows and reads until there is nothing to do at `now_`, and returns what was shown.
  Sequences run(FeedCursor& cursor) {
    Sequences shown;
    for (;;) {
      last_step_ = cursor.next(now_);
      switch (last_step_) {
        case Step::kRead: read(cursor); break;
        case Step::kShow:
          shown.push_back(cursor.position().sequence);
          gaps_ += cursor.fills_gap(wall_) ? 1 : 0;
          cursor.shown();
          break;
        case Step::kReadLast:
        case Step::kWait:
        case Step::kEnd: return shown;
      }
      if (HasFatalFailure()) return shown;
    }
  }

  static constexpr WallTime kStored{seconds(1'800'000'000)};
  MonotonicTime now_{seconds(100)};
  WallTime wall_ = kStored;
  std::vector<v1::CallEvent> recorded_;
  std::set<std::uint64_t> lost_;  ///< not found in the record
  Step last_step_ = Step::kWait;
  int reads_ = 0;
  int gaps_ = 0;
};

TEST_F(FeedCursorTest, ShowsTheRecordAndThenWhatCameLiveEachOnce) {
  record({"a", 1});
  record({"b", 1});
  auto cursor = begun(wire::EventId());
  live(cursor, {"a", 2});  // while it is being read: both recorded and live
  EXPECT_EQ(run(cursor), (Sequences{1, 2, 3}));
  EXPECT_EQ(last_step_, Step::kWait);
  EXPECT_FALSE(cursor.wait_until());
  live(cursor, {"b", 2, true});
  live(cursor, {"a", 3, true});
  EXPECT_EQ(run(cursor), (Sequences{4, 5}));
  EXPECT_EQ(gaps_, 0);
}

TEST_F(FeedCursorTest, BeginsAtTheEndWithoutReading) {
  record({"a", 1});
  auto cursor = begun(std::nullopt);
  EXPECT_EQ(run(cursor), Sequences{});
  EXPECT_EQ(reads_, 0);
  live(cursor, {"b", 1});
  EXPECT_EQ(run(cursor), Sequences{2});
}

TEST_F(FeedCursorTest, ResumesInTheMiddleOfAnEventThatIsShownAsTwo) {
  record({"a", 2, true, true});
  auto cursor = begun(wire::EventId{kLife, 1});  // its Started
  ASSERT_EQ(cursor.next(now_), Step::kRead);
  read(cursor);
  ASSERT_EQ(cursor.next(now_), Step::kShow);
  EXPECT_TRUE(cursor.has_seen({kLife, 1}));
  EXPECT_FALSE(cursor.has_seen({kLife, 2}));
}

TEST_F(FeedCursorTest, LooksIntoTheRecordBeforeItShowsAnythingAfterAHole) {
  auto cursor = begun(std::nullopt);
  live(cursor, {"a", 1});
  EXPECT_EQ(run(cursor), Sequences{1});
  record({"a", 2});
  wall_ += seconds(2);
  live(cursor, {"a", 3});
  EXPECT_EQ(run(cursor), (Sequences{2, 3}));
  EXPECT_EQ(reads_, 2) << "a page, and the end of the record";
  EXPECT_EQ(gaps_, 1);
}

TEST_F(FeedCursorTest, GivesALaggingReplicaTime) {
  auto cursor = begun(std::nullopt);
  live(cursor, {"a", 1});
  run(cursor);
  lost_ = {record({"a", 2})};
  live(cursor, {"a", 3});
  lost_.insert(3);
  EXPECT_EQ(run(cursor), Sequences{});
  for (unsigned i = 1; i < FeedCursor::kHoleTries; ++i) {
    EXPECT_EQ(last_step_, Step::kWait);
    ASSERT_EQ(cursor.wait_until(), now_ + FeedCursor::kReplicaLag);
    live(cursor, {"b", i});  // what else comes does not shorten it
    lost_.insert(recorded_.size());
    EXPECT_EQ(run(cursor), Sequences{});
    now_ += FeedCursor::kReplicaLag;
    if (i == 5) lost_.clear();
    if (i == 5) break;
    EXPECT_EQ(run(cursor), Sequences{});
  }
  EXPECT_EQ(run(cursor).front(), 2U);
}

TEST_F(FeedCursorTest, ShowsTheRestWhenTheRecordLacksItToo) {
  auto cursor = begun(std::nullopt);
  live(cursor, {"a", 1});
  run(cursor);
  lost_ = {record({"a", 2})};
  live(cursor, {"a", 3});
  lost_.insert(3);
  reads_ = 0;
  Sequences shown = run(cursor);
  while (shown.empty() && cursor.wait_until()) {
    now_ = *cursor.wait_until();
    shown = run(cursor);
  }
  EXPECT_EQ(shown, Sequences{3});
  EXPECT_EQ(reads_, static_cast<int>(FeedCursor::kHoleTries));
}

TEST_F(FeedCursorTest, OfACallThatWasRunningLooksOnce) {
  record({"a", 1});
  auto cursor = begun(std::nullopt);
  live(cursor, {"a", 2});
  lost_ = {2};
  EXPECT_EQ(run(cursor), Sequences{2});
  EXPECT_EQ(reads_, 1);
}

TEST_F(FeedCursorTest, ACompletionMergedWithItsStartIsNotAHole) {
  auto cursor = begun(std::nullopt);
  live(cursor, {"a", 2, true, true});
  EXPECT_EQ(run(cursor), Sequences{1});
  EXPECT_EQ(reads_, 0);
}

TEST_F(FeedCursorTest, ReadsTheRecordOnceTheConnectionIsBack) {
  auto cursor = begun(std::nullopt);
  live(cursor, {"a", 1});
  cursor.connection(bus::Connection::kDisconnected);
  live(cursor, {"a", 2});
  EXPECT_EQ(run(cursor), Sequences{});
  EXPECT_EQ(last_step_, Step::kWait);
  EXPECT_EQ(reads_, 0);
  cursor.connection(bus::Connection::kConnected);
  EXPECT_EQ(run(cursor), (Sequences{1, 2}));
}

TEST_F(FeedCursorTest, ReadsTheRecordAfterAGapBetweenLiveEvents) {
  auto cursor = begun(std::nullopt);
  record({"a", 1});
  cursor.connection(bus::Connection::kGap);
  EXPECT_EQ(run(cursor), Sequences{1});
}

TEST_F(FeedCursorTest, ReadsAgainWhenAGapIsReportedWhileItReads) {
  record({"a", 1});
  auto cursor = begun(wire::EventId());
  ASSERT_EQ(cursor.next(now_), Step::kRead);
  cursor.connection(bus::Connection::kGap);
  read(cursor);
  record({"a", 2});
  EXPECT_EQ(run(cursor), (Sequences{1, 2}));
}

TEST_F(FeedCursorTest, ThatOverflowsGetsOnAtItsReadersPace) {
  auto cursor = begun(wire::EventId());
  record({"a", 1});
  cursor.connection(bus::Connection::kGap);
  for (std::uint64_t i = 2; i <= 5; ++i) {
    ASSERT_EQ(cursor.next(now_), Step::kRead);
    read(cursor);
    live(cursor, {"a", static_cast<std::uint32_t>(i)});
    cursor.overflowed();
    ASSERT_EQ(cursor.next(now_), Step::kShow);
    EXPECT_EQ(cursor.position().sequence, i - 1);
    cursor.shown();
  }
  EXPECT_LT(cursor.held(), 200U) << "the number of one call";
}

TEST_F(FeedCursorTest, HoldsTheNumbersOfCallsInProgress) {
  auto cursor = begun(std::nullopt);
  for (int i = 0; i < 100; ++i) {
    live(cursor, {fmt::format("{}", i), 1});
    ASSERT_EQ(cursor.next(now_), Step::kShow);
    cursor.shown();
  }
  EXPECT_GT(cursor.held(), 100 * 100U);
  EXPECT_LT(cursor.held(), 100 * 200U);
}

TEST_F(FeedCursorTest, HoldsNoMoreLiveEventsThanItMay) {
  auto cursor = begun(std::nullopt);
  const auto large =
      std::make_shared<const LiveEvent>(LiveEvent{{}, 1, FeedCursor::kMaxBufferedBytes});
  EXPECT_TRUE(cursor.live(large));
  EXPECT_EQ(cursor.held(), FeedCursor::kMaxBufferedBytes + sizeof(LiveEventPtr));
  EXPECT_TRUE(cursor.live(large));
  EXPECT_EQ(cursor.held(), 0U);
  EXPECT_EQ(cursor.next(now_), Step::kRead);
}

TEST_F(FeedCursorTest, WaitsAfterAReadThatFailed) {
  record({"a", 1});
  auto cursor = begun(wire::EventId());
  ASSERT_EQ(cursor.next(now_), Step::kRead);
  cursor.read_failed(now_);
  ASSERT_EQ(cursor.next(now_), Step::kWait);
  EXPECT_EQ(cursor.wait_until(), now_ + FeedCursor::kRetryDelay);
  now_ += FeedCursor::kRetryDelay;
  EXPECT_EQ(run(cursor), Sequences{1});
}

TEST_F(FeedCursorTest, DoesNotWaitOnceTheConnectionIsBack) {
  record({"a", 1});
  auto cursor = begun(wire::EventId());
  ASSERT_EQ(cursor.next(now_), Step::kRead);
  cursor.read_failed(now_);
  cursor.connection(bus::Connection::kConnected);
  EXPECT_EQ(run(cursor), Sequences{1});
}

TEST_F(FeedCursorTest, ChecksTheRecordWhenTheStreamHasGrown) {
  auto cursor = begun(std::nullopt);
  EXPECT_FALSE(cursor.behind({kLife, 0}));
  record({"a", 1});
  EXPECT_TRUE(cursor.behind({kLife, 1}));
  cursor.check();
  EXPECT_EQ(run(cursor), Sequences{1});
  EXPECT_FALSE(cursor.behind({kLife, 1}));
}

TEST_F(FeedCursorTest, OfACallEndsWithItsCompletion) {
  auto cursor = begun(wire::EventId(), Follows::kCall);
  run(cursor);
  EXPECT_EQ(last_step_, Step::kReadLast);
  cursor.last_is(std::nullopt);
  live(cursor, {"a", 1});
  live(cursor, {"a", 2, true});
  EXPECT_EQ(run(cursor), (Sequences{1, 2}));
  EXPECT_EQ(last_step_, Step::kEnd);
  EXPECT_TRUE(cursor.ended());
}

TEST_F(FeedCursorTest, OfACallEndsWhenItsReaderHasSeenTheCompletion) {
  record({"a", 1});
  record({"a", 2, true});
  auto known = begun(wire::id_of({kLife, 2}), Follows::kCall, true);
  run(known);
  EXPECT_EQ(last_step_, Step::kEnd);
  auto asks = begun(wire::id_of({kLife, 2}), Follows::kCall);
  run(asks);
  ASSERT_EQ(last_step_, Step::kReadLast);
  asks.last_is(stored(2));
  EXPECT_EQ(asks.next(now_), Step::kEnd);
}

TEST_F(FeedCursorTest, OfACallContinuesWhileItsLastEventIsNotShownOrNotTheEnd) {
  record({"a", 1});
  auto cursor = begun(wire::id_of({kLife, 1}), Follows::kCall);
  run(cursor);
  ASSERT_EQ(last_step_, Step::kReadLast);
  live(cursor, {"a", 2, true});
  cursor.last_is(stored(2));
  EXPECT_EQ(run(cursor), Sequences{2});
  EXPECT_EQ(last_step_, Step::kEnd);
}

}  // namespace
}  // namespace toolway::gateway::live
