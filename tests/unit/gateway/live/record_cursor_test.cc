#include "gateway/live/record_cursor.h"

#include <gtest/gtest.h>

#include <vector>

#include "proto/codec.h"

namespace toolway::gateway::live {
namespace {

using Step = RecordCursor::Step;
using Sequences = std::vector<std::uint64_t>;

constexpr std::int64_t kLife = 7;

persistence::store::EventPosition at(std::uint64_t sequence) { return {kLife, sequence}; }

bus::StreamState stream(std::uint64_t first, std::uint64_t last, std::int64_t life = kLife) {
  bus::StreamState state;
  state.incarnation = life;
  state.first_sequence = first;
  state.last_sequence = last;
  return state;
}

RecordCursor::Page rows(const Sequences& sequences) {
  RecordCursor::Page page;
  for (const auto sequence : sequences) page.push_back({at(sequence), {}});
  return page;
}

bus::StoredMessage message(std::uint64_t sequence) {
  v1::CallEvent event;
  event.set_call_id("0192a000-0000-7000-8000-000000000001");
  event.set_session_key("0123456789abcdef0123456789abcdef");
  event.mutable_started();
  return {.subject = {}, .payload = proto::encode(event), .sequence = sequence, .stored_at = {}};
}

tl::unexpected<Error> nothing() { return fail(ErrorCode::kNotFound, "no message"); }
tl::unexpected<Error> no_answer() { return fail(ErrorCode::kStoreUnavailable, "no answer"); }

Sequences taken(RecordCursor& cursor) {
  EXPECT_EQ(cursor.next(), Step::kTake);
  Sequences sequences;
  for (const auto& event : cursor.take()) sequences.push_back(event.position.sequence);
  return sequences;
}

RecordCursor reader(persistence::store::EventPosition after = {}, std::size_t rows = 64) {
  return {after, persistence::store::PageLimit(rows, 64 * 1024)};
}

TEST(RecordCursor, ReadsTheStoreAsFarAsEverythingIsRecordedAndThenTheStream) {
  auto cursor = reader();
  EXPECT_EQ(cursor.next(), Step::kAskEnd);
  ASSERT_TRUE(cursor.end_is(stream(1, 9), 5));
  EXPECT_EQ(cursor.end(), at(9));
  EXPECT_EQ(cursor.next(), Step::kReadStore);
  ASSERT_TRUE(cursor.from_store(rows({2, 4, 6, 8})));  // 6 and 8 may have others between them
  EXPECT_EQ(taken(cursor), (Sequences{2, 4}));
  EXPECT_EQ(cursor.next(), Step::kReadStore);
  EXPECT_EQ(cursor.at(), at(4));
  ASSERT_TRUE(cursor.from_store(rows({6})));
  EXPECT_EQ(cursor.next(), Step::kReadStream);
  EXPECT_EQ(cursor.at(), at(5));
  ASSERT_TRUE(cursor.from_stream(message(6)));
  ASSERT_TRUE(cursor.from_stream(message(9)));
  EXPECT_EQ(cursor.next(), Step::kAskEnd);
  ASSERT_TRUE(cursor.end_is(stream(1, 12), 12));
  EXPECT_EQ(taken(cursor), (Sequences{6, 9}));
  EXPECT_EQ(taken(cursor), Sequences{});
  EXPECT_EQ(cursor.end(), at(9)) << "what came later comes live";
}

TEST(RecordCursor, HasNothingToReadAtTheEnd) {
  auto cursor = reader(at(9));
  ASSERT_TRUE(cursor.end_is(stream(1, 9), 5));
  EXPECT_EQ(taken(cursor), Sequences{});
}

TEST(RecordCursor, AsksTheLeaderWhatAReplicaDoesNotHave) {
  auto cursor = reader(at(5));
  ASSERT_TRUE(cursor.end_is(stream(1, 9), 5));
  EXPECT_EQ(cursor.next(), Step::kReadStream);
  ASSERT_TRUE(cursor.from_stream(nothing()));
  EXPECT_EQ(cursor.next(), Step::kReadLeader);
  ASSERT_TRUE(cursor.from_stream(message(7)));
  EXPECT_EQ(cursor.next(), Step::kReadStream);
  ASSERT_TRUE(cursor.from_stream(nothing()));
  ASSERT_TRUE(cursor.from_stream(nothing()));
  EXPECT_EQ(cursor.next(), Step::kAskEnd);
  ASSERT_TRUE(cursor.end_is(stream(1, 9), 5));
  EXPECT_EQ(taken(cursor), Sequences{7});
}

TEST(RecordCursor, LeavesWhatIsNewerThanTheEndToTheLiveEvents) {
  auto cursor = reader(at(5));
  ASSERT_TRUE(cursor.end_is(stream(1, 9), 5));
  ASSERT_TRUE(cursor.from_stream(message(10)));
  EXPECT_EQ(cursor.next(), Step::kAskEnd);
  ASSERT_TRUE(cursor.end_is(stream(1, 10), 5));
  EXPECT_EQ(taken(cursor), Sequences{});
}

TEST(RecordCursor, ReadsAPageAtATime) {
  auto cursor = reader(at(5), 2);
  ASSERT_TRUE(cursor.end_is(stream(1, 9), 5));
  ASSERT_TRUE(cursor.from_stream(message(6)));
  ASSERT_TRUE(cursor.from_stream(message(7)));
  EXPECT_EQ(cursor.next(), Step::kAskEnd);
  ASSERT_TRUE(cursor.end_is(stream(1, 9), 5));
  EXPECT_EQ(taken(cursor), (Sequences{6, 7}));
  EXPECT_EQ(cursor.next(), Step::kReadStream);
  EXPECT_EQ(cursor.at(), at(7));
}

TEST(RecordCursor, ReadsInTheStoreWhatLeftTheStreamWhileItWasRead) {
  auto cursor = reader(at(5));
  ASSERT_TRUE(cursor.end_is(stream(1, 9), 5));
  ASSERT_TRUE(cursor.from_stream(message(9)));
  EXPECT_EQ(cursor.next(), Step::kAskEnd);
  ASSERT_TRUE(cursor.end_is(stream(8, 9), 5));
  EXPECT_EQ(cursor.next(), Step::kReadStore);
  EXPECT_EQ(cursor.at(), at(5));
  ASSERT_TRUE(cursor.from_store(rows({6, 7})));
  EXPECT_EQ(taken(cursor), (Sequences{6, 7})) << "they have left the stream, whatever the floor is";
}

TEST(RecordCursor, DoesNotReadAgainWhenOnlyWhatItHasReadHasLeft) {
  auto cursor = reader(at(5));
  ASSERT_TRUE(cursor.end_is(stream(1, 9), 5));
  ASSERT_TRUE(cursor.from_stream(message(9)));
  ASSERT_TRUE(cursor.end_is(stream(6, 9), 5));
  EXPECT_EQ(taken(cursor), Sequences{9});
}

TEST(RecordCursor, DoesWithoutTheStoreWhileTheStreamHasEverything) {
  auto cursor = reader();
  ASSERT_TRUE(cursor.end_is(stream(1, 9), 5));
  ASSERT_TRUE(cursor.from_store(no_answer()));
  EXPECT_EQ(cursor.next(), Step::kReadStream);
  EXPECT_EQ(cursor.at(), at(0));
}

TEST(RecordCursor, NeedsTheStoreForWhatTheStreamHasLost) {
  auto cursor = reader();
  ASSERT_TRUE(cursor.end_is(stream(2, 9), 5));
  const auto read = cursor.from_store(no_answer());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kStoreUnavailable);
  auto of_an_earlier_life = reader({kLife - 1, 3});
  ASSERT_TRUE(of_an_earlier_life.end_is(stream(1, 9), 5));
  EXPECT_FALSE(of_an_earlier_life.from_store(no_answer()));
}

TEST(RecordCursor, ContinuesFromAnEarlierLifeOfTheStreamAtTheBeginningOfThisOne) {
  auto cursor = reader({kLife - 1, 30});
  ASSERT_TRUE(cursor.end_is(stream(1, 9), 0));
  EXPECT_EQ(cursor.next(), Step::kReadStore);
  ASSERT_TRUE(cursor.from_store(rows({})));
  EXPECT_EQ(cursor.next(), Step::kReadStream);
  EXPECT_EQ(cursor.at(), at(0));
}

TEST(RecordCursor, RefusesACursorOfALifeThatHasNotBegun) {
  auto cursor = reader({kLife + 1, 3});
  const auto begun = cursor.end_is(stream(1, 9), 5);
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().code, ErrorCode::kInvalidCursor);
}

TEST(RecordCursor, PassesOverWhatCannotBeRead) {
  auto cursor = reader(at(5));
  ASSERT_TRUE(cursor.end_is(stream(1, 7), 5));
  auto broken = message(6);
  broken.payload = "\xff\xff";
  ASSERT_TRUE(cursor.from_stream(broken));
  EXPECT_EQ(cursor.next(), Step::kReadStream);
  ASSERT_TRUE(cursor.from_stream(message(7)));
  ASSERT_TRUE(cursor.end_is(stream(1, 7), 5));
  EXPECT_EQ(taken(cursor), Sequences{7});
}

}  // namespace
}  // namespace toolway::gateway::live
