#include "chat/turns/unseen_turns.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/test_clock.h"
#include "tests/unit/chat/turns/fake_conversations.h"
#include "tests/unit/chat/turns/fake_turn_queue.h"

namespace toolway::chat::turns {
namespace {

constexpr const char* kSend = R"({"step": "send", "content": "hi"})";
constexpr const char* kAlone = R"({"step": "send", "messages": [{"role": "user"}]})";

/// Knows the turns that a test names.
class Knows final : public FakeConversations {
 public:
  Result<std::vector<bool>> are_known(const std::vector<Arrival>& turns) override {
    if (away) return fail(ErrorCode::kStoreUnavailable, "away");
    std::vector<bool> found;
    for (const auto& one : turns) found.push_back(known.contains(one.turn));
    return found;
  }
  std::set<std::string> known;
  bool away = false;
};

class UnseenTurns : public testing::Test {
 protected:
  /// A message of subject `queue`.
  void store(std::uint64_t sequence, const std::string& id, const std::string& arguments = kSend,
             const std::string& queue = "a") {
    queue_.store(
        queue,
        {.sequence = sequence, .id = id, .arguments = arguments, .stored_at = clock_.wall()});
  }
  static ComingTurn turn(std::uint64_t sequence, const std::string& id,
                         const std::string& queue = "a") {
    return {.owner = {"default", queue}, .id = id, .place = {queue, sequence}};
  }
  bool may(std::uint64_t sequence, const std::string& id) {
    return unseen_.none_before({turn(sequence, id)}).front();
  }

  toolway::test::StoppedClock clock_;
  FakeTurnQueue queue_;
  Knows store_;
  turns::UnseenTurns unseen_{queue_, store_, clock_};
};

TEST_F(UnseenTurns, TheFirstOfItsSessionMayBegin) {
  store(5, "first");
  store(3, "other", kSend, "b");
  EXPECT_TRUE(may(5, "first"));
  EXPECT_EQ(queue_.asked, 1);
}

TEST_F(UnseenTurns, WaitsForAnEarlierOneOfWhichNothingIsKnown) {
  store(5, "first");
  store(7, "second");
  EXPECT_FALSE(may(7, "second"));
  store_.known = {"first"};
  EXPECT_TRUE(may(7, "second")) << "it runs, waits or has ended: Postgres says whose turn it is";
}

TEST_F(UnseenTurns, LooksPastThoseThatAreKnown) {
  store(5, "first");
  store(6, "second");
  store(7, "third");
  store_.known = {"first"};
  EXPECT_FALSE(may(7, "third"));
  const int asked = queue_.asked;
  EXPECT_FALSE(may(7, "third"));
  EXPECT_EQ(queue_.asked, asked + 1) << "what was passed over is not read again";
  store_.known = {"first", "second"};
  EXPECT_TRUE(may(7, "third"));
}

TEST_F(UnseenTurns, TurnsWithoutAConversationAreNotWaitedFor) {
  store(5, "api", kAlone);
  store(6, "unreadable", "");
  store(7, "second");
  EXPECT_TRUE(may(7, "second"));
}

TEST_F(UnseenTurns, AnEarlierMessageOfItsOwnIsNotWaitedFor) {
  store(5, "same");
  store(7, "same");
  EXPECT_TRUE(may(7, "same")) << "its call was published again";
}

TEST_F(UnseenTurns, NothingIsWaitedForForEver) {
  store(5, "lost");
  store(7, "second");
  clock_.advance(persistence::conversations::kPlaceHolds - std::chrono::seconds(1));
  EXPECT_FALSE(may(7, "second"));
  clock_.advance(std::chrono::seconds(1));
  EXPECT_TRUE(may(7, "second"));
}

TEST_F(UnseenTurns, GivesUpAfterTheLimit) {
  for (int i = 0; i < turns::UnseenTurns::kMaxPassed + 1; ++i)
    store(static_cast<std::uint64_t>(i) + 1, "api", kAlone);
  store(99, "unseen");
  store(100, "second");
  EXPECT_TRUE(may(100, "second"));
  EXPECT_EQ(queue_.asked, turns::UnseenTurns::kMaxPassed);
}

TEST_F(UnseenTurns, BeginsToLookAfterTheTurnThatBeganLast) {
  for (std::uint64_t i = 1; i <= 100; ++i) store(i, "ended");
  store(101, "unseen");
  store(102, "second");
  ComingTurn second = turn(102, "second");
  second.begun_place = 100;
  EXPECT_EQ(unseen_.none_before({second}), std::vector<bool>{false});
  EXPECT_EQ(queue_.asked, 1);
  second.begun_place = 101;
  EXPECT_EQ(unseen_.none_before({second}), std::vector<bool>{true});
}

TEST_F(UnseenTurns, APlaceOfAStreamThatLostItsMessagesSaysNothing) {
  store(3, "first");
  store(5, "second");
  ComingTurn second = turn(5, "second");
  for (const std::uint64_t place : {5, 7'000}) {
    second.begun_place = place;
    EXPECT_EQ(unseen_.none_before({second}), std::vector<bool>{false});
  }
  store_.known = {"first"};
  EXPECT_EQ(unseen_.none_before({second}), std::vector<bool>{true});
}

TEST_F(UnseenTurns, WhatCannotBeToldWaits) {
  EXPECT_FALSE(may(7, "second")) << "the replica that answered has not even its own message";
  store(5, "first");
  store(7, "second");
  store_.known = {"first"};
  store_.away = true;
  EXPECT_FALSE(may(7, "second"));
  store_.away = false;
  queue_.away = true;
  EXPECT_FALSE(may(7, "second"));
  queue_.away = false;
  EXPECT_TRUE(may(7, "second"));
}

TEST_F(UnseenTurns, ManyAreAskedForAtOnce) {
  store(1, "a1");
  store(2, "b1", kSend, "b");
  store(3, "b2", kSend, "b");
  store(4, "c1", kSend, "c");
  EXPECT_EQ(unseen_.none_before({turn(1, "a1"), turn(3, "b2", "b"), turn(4, "c1", "c")}),
            (std::vector<bool>{true, false, true}));
  EXPECT_TRUE(unseen_.none_before({}).empty());
}

}  // namespace
}  // namespace toolway::chat::turns
