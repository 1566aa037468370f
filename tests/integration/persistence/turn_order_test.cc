// Which turn has a conversation next, on a real Postgres.
#include <algorithm>

#include "tests/integration/persistence/conversations_fixture.h"

namespace toolway::persistence::conversations {
namespace {

class TurnOrder : public ConversationsFixture {};

TEST_F(TurnOrder, TurnsWaitInTheirOrderAndNotTooMany) {
  const Writer first{turn(1), 1};
  taken(first);
  EXPECT_EQ(asked({turn(3), 1}), Taken::kBusy);
  EXPECT_EQ(asked({turn(2), 1}), Taken::kBusy);
  ASSERT_TRUE(store_->release(owner_, first));
  EXPECT_EQ(asked({turn(3), 1}), Taken::kBusy) << "an earlier one waits";
  EXPECT_EQ(asked({turn(2), 1}), Taken::kTaken);
  for (int i = 0; i < kMaxWaitingTurns - 1; ++i)
    EXPECT_EQ(asked({turn(10 + i), 1}), Taken::kBusy) << i;
  EXPECT_EQ(asked({turn(99), 1}), Taken::kCrowd);
}

TEST_F(TurnOrder, TurnsThatComeHaveTheirPlaces) {
  EXPECT_EQ(come({5}), Answers{Taken::kTaken}) << "a session without a conversation";
  EXPECT_EQ(come({5}), Answers{Taken::kTaken}) << "it comes again";
  EXPECT_EQ(come({7, 6}), (Answers{Taken::kBusy, Taken::kBusy})) << "the first may begin now";
  const Writer first{turn(5), 1};
  taken(first);
  EXPECT_EQ(come({6}), Answers{Taken::kBusy});
  EXPECT_EQ(come({5}), Answers{Taken::kTaken}) << "another attempt of the one that writes";
  ASSERT_TRUE(store_->release(owner_, first));
  EXPECT_EQ(come({7, 6}), (Answers{Taken::kBusy, Taken::kTaken})) << "in the order of their ids";
  std::vector<int> many;
  for (int i = 0; i < kMaxWaitingTurns; ++i) many.push_back(20 + i);
  const auto found = come(many);
  EXPECT_EQ(std::ranges::count(found, Taken::kBusy), kMaxWaitingTurns - 2) << "6 and 7 wait";
  EXPECT_EQ(std::ranges::count(found, Taken::kCrowd), 2);
  const Owner other{"default", SessionKey::make().text()};
  const auto apart = store_->arrive({{other, turn(99)}});
  ASSERT_TRUE(apart);
  EXPECT_EQ(apart->front().taken, Taken::kTaken) << "another session's conversation";
}

TEST_F(TurnOrder, TurnsHaveTheOrderOfTheirPlacesNotOfTheirIds) {
  const Writer first{turn(5), 1};
  EXPECT_EQ(come_at({{5, 10}}), Answers{Taken::kTaken});
  taken(first);
  EXPECT_EQ(come_at({{3, 12}, {4, 11}}), (Answers{Taken::kBusy, Taken::kBusy}));
  ASSERT_TRUE(store_->release(owner_, first));
  EXPECT_EQ(come_at({{3, 12}}), Answers{Taken::kBusy}) << "another gateway's clock was late";
  EXPECT_EQ(asked({turn(3), 1}), Taken::kBusy);
  EXPECT_EQ(asked({turn(1), 1}), Taken::kBusy) << "one without a place comes last";
  EXPECT_EQ(come_at({{4, 99}}), Answers{Taken::kTaken}) << "published again: its place remains";
  taken({turn(4), 1});
  ASSERT_TRUE(store_->release(owner_, {turn(4), 1}));
  EXPECT_EQ(come_at({{2, 13}, {3, 12}}), (Answers{Taken::kBusy, Taken::kTaken}));
}

TEST_F(TurnOrder, SaysWhereTheTurnThatBeganLastHasItsPlace) {
  EXPECT_EQ(begun_place(), 0U) << "there is no conversation yet";
  come_at({{2, 20}, {3, 30}});
  EXPECT_EQ(begun_place(), 0U) << "they have come, and have not begun";
  const Writer second{turn(2), 1};
  const auto opened = taken(second);
  EXPECT_EQ(begun_place(), 20U);
  ASSERT_TRUE(store_->start_new(owner_, second, {}));
  EXPECT_EQ(begun_place(), 20U) << "also in a new conversation";
  ASSERT_TRUE(store_->release(owner_, second));
  taken({turn(3), 1});
  EXPECT_EQ(begun_place(), 30U);
  taken({turn(3), 2});
  EXPECT_EQ(begun_place(), 30U) << "another attempt, which has no place any more";
  ASSERT_TRUE(store_->release(owner_, {turn(3), 2}));
  taken({turn(4), 1});
  EXPECT_EQ(begun_place(), 30U) << "one of an older process, which tells no place";
}

TEST_F(TurnOrder, OfThoseThatComeAtOnceTheLastOnesAreTooMany) {
  taken({turn(99), 1});
  std::vector<std::pair<int, std::uint64_t>> many;
  for (int i = 0; i < kMaxWaitingTurns + 2; ++i) many.emplace_back(50 - i, 10 + i);
  auto expected = Answers(kMaxWaitingTurns, Taken::kBusy);
  expected.insert(expected.end(), 2, Taken::kCrowd);
  EXPECT_EQ(come_at(many), expected);
}

TEST_F(TurnOrder, ATurnIsKnownFromItsArrivalOn) {
  EXPECT_EQ(known({1, 2}), (std::vector<bool>{false, false}));
  come({2});
  EXPECT_EQ(known({1, 2}), (std::vector<bool>{false, true}));
  const Writer writer{turn(2), 1};
  taken(writer);
  EXPECT_EQ(known({2}), std::vector<bool>{true}) << "it runs";
  ASSERT_TRUE(store_->release(owner_, writer));
  EXPECT_EQ(known({2}), std::vector<bool>{true}) << "it has ended";
  const Writer next{turn(3), 1};
  taken(next);
  ASSERT_TRUE(store_->start_new(owner_, next, {}));
  ASSERT_TRUE(store_->release(owner_, next));
  EXPECT_EQ(known({3}), std::vector<bool>{true}) << "in the conversation that it began";
  end(turn(1));
  EXPECT_EQ(known({1}), std::vector<bool>{true}) << "cancelled before it came";
  const auto other = store_->are_known({{{"default", SessionKey::make().text()}, turn(3)}});
  ASSERT_TRUE(other);
  EXPECT_EQ(*other, std::vector<bool>{false});
  EXPECT_TRUE(known({}).empty());
}

TEST_F(TurnOrder, AKilledTurnKeepsItsPlaceUntilItsCallHasEnded) {
  const Writer killed{turn(1), 1};
  const auto opened = taken(killed);
  ASSERT_TRUE(say(opened, killed, 1));
  pass("conversations SET lease_until = lease_until", "30 seconds");
  EXPECT_EQ(asked({turn(2), 1}), Taken::kBusy) << "its next attempt comes";
  EXPECT_EQ(come({2}), Answers{Taken::kBusy});
  EXPECT_EQ(come({1}), Answers{Taken::kTaken});
  EXPECT_EQ(taken({turn(1), 2}).head, 1U);
  ASSERT_TRUE(store_->leave(owner_, {turn(1), 2}));
  EXPECT_EQ(asked({turn(2), 1}), Taken::kBusy) << "one that stopped may come again, too";
  end(turn(1));
  EXPECT_EQ(come({2}), Answers{Taken::kTaken});
  EXPECT_EQ(taken({turn(2), 1}).head, 1U);
}

/// A process that slept has an old message of it, and asks as if it had just come.
TEST_F(TurnOrder, ATurnThatHasEndedDoesNotGetTheConversationAgain) {
  come_at({{1, 10}, {2, 20}});
  const auto opened = taken({turn(1), 1});
  ASSERT_TRUE(say(opened, {turn(1), 1}, 1));
  ASSERT_TRUE(store_->leave(owner_, {turn(1), 1}));
  end(turn(1));
  come_at({{1, 10}});
  EXPECT_EQ(asked({turn(1), 1}), Taken::kBusy) << "it was the last one that had it";
  ASSERT_TRUE(store_->release(owner_, {turn(2), 1})) << "which changes nothing";
  come_at({{2, 20}});
  taken({turn(2), 1});
  ASSERT_TRUE(store_->release(owner_, {turn(2), 1}));
  come_at({{1, 10}});
  EXPECT_EQ(asked({turn(1), 1}), Taken::kBusy) << "another one has had it since";
  taken({turn(3), 1});
}

/// It slept while it waited for the conversation, and its next attempt has had it since.
TEST_F(TurnOrder, ATurnThatHasEndedDoesNotGetTheConversationThatItsOldAttemptWaitsFor) {
  come_at({{1, 10}, {2, 20}});
  taken({turn(1), 2});
  ASSERT_TRUE(store_->release(owner_, {turn(1), 2}));
  end(turn(1));
  taken({turn(2), 1});
  ASSERT_TRUE(store_->release(owner_, {turn(2), 1}));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(asked({turn(1), 1}), Taken::kBusy) << i;
  taken({turn(3), 1});
}

/// Between the two, messages may have come of which nothing is known yet.
TEST_F(TurnOrder, ATurnThatComesWithALaterMessageHasBegunWhereItBeganFirst) {
  come_at({{1, 10}});
  taken({turn(1), 1});
  come_at({{1, 30}});
  taken({turn(1), 2});
  EXPECT_EQ(begun_place(), 10U);
}

/// It slept as it began, and was cancelled: no attempt of it has had the conversation.
TEST_F(TurnOrder, ATurnThatHasEndedWithoutHavingBegunDoesNotGetTheConversation) {
  come_at({{1, 10}, {2, 20}, {3, 30}});
  taken({turn(1), 1});
  ASSERT_TRUE(store_->release(owner_, {turn(1), 1}));
  end(turn(1));
  end(turn(2));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(asked({turn(2), 1}), Taken::kBusy) << i;
  taken({turn(3), 1});
}

TEST_F(TurnOrder, AKilledTurnOfWhichNothingIsHeardIsNotWaitedForForEver) {
  taken({turn(1), 1});
  pass("conversations SET lease_until = lease_until", "139 seconds");
  EXPECT_EQ(asked({turn(2), 1}), Taken::kBusy);
  pass("conversations SET lease_until = lease_until", "2 seconds");
  EXPECT_EQ(come({2}), Answers{Taken::kTaken});
  EXPECT_EQ(asked({turn(2), 1}), Taken::kTaken);
}

TEST_F(TurnOrder, ATurnThatWaitsKeepsItsPlaceThoughItsProcessWasKilled) {
  const Writer first{turn(1), 1};
  taken(first);
  EXPECT_EQ(come({2}), Answers{Taken::kBusy});
  EXPECT_EQ(come({3}), Answers{Taken::kBusy});
  ASSERT_TRUE(store_->release(owner_, first));
  pass("conversation_waiters SET until = until", "60 seconds");
  EXPECT_EQ(come({3}), Answers{Taken::kBusy}) << "the one before it comes again";
  EXPECT_EQ(asked({turn(3), 1}), Taken::kBusy);
  EXPECT_EQ(reader()->conversation(*SessionKey::parse(owner_.session_key), "").value()->waiting, 2);
  end(turn(2));
  EXPECT_EQ(reader()->conversation(*SessionKey::parse(owner_.session_key), "").value()->waiting, 1)
      << "it was cancelled while it waited";
  EXPECT_EQ(come({3}), Answers{Taken::kTaken});
  taken({turn(3), 1});
}

TEST_F(TurnOrder, ATurnThatHasBegunComesAgainBeforeOneThatWasAcceptedEarlier) {
  taken({turn(2), 1});
  EXPECT_EQ(come({1}), Answers{Taken::kBusy}) << "it came late";
  EXPECT_EQ(come({2}), Answers{Taken::kTaken});
  const Writer again{turn(2), 2};
  taken(again);
  ASSERT_TRUE(store_->release(owner_, again));
  EXPECT_EQ(come({1}), Answers{Taken::kTaken});
}

}  // namespace
}  // namespace toolway::persistence::conversations
