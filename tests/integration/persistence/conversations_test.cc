// Conversations as chat processes keep them, on a real Postgres.
#include <algorithm>
#include <atomic>
#include <thread>

#include "persistence/conversations/postgres_conversations.h"
#include "tests/integration/persistence/store_fixture.h"

namespace toolway::persistence::conversations {
namespace {

class Conversations : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    migrate_now();
    store_ = make_postgres_conversations(url_);
  }

  static std::string turn(int number) {
    return fmt::format("00000000-0000-7000-8000-{:012}", number);
  }
  Opened taken(const Writer& writer) {
    const auto asked = store_->take(owner_, writer);
    EXPECT_TRUE(asked) << asked.error().message;
    EXPECT_EQ(asked->taken, Taken::kTaken);
    return asked->opened;
  }
  Taken asked(const Writer& writer) {
    const auto answer = store_->take(owner_, writer);
    EXPECT_TRUE(answer) << answer.error().message;
    return answer->taken;
  }
  using Answers = std::vector<Taken>;
  Answers come(const std::vector<int>& numbers) {
    std::vector<Arrival> arrivals;
    for (const int number : numbers) arrivals.push_back({owner_, turn(number)});
    const auto found = store_->arrive(arrivals);
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(Answers());
  }
  /// Turns with places of their own.
  Answers come_at(const std::vector<std::pair<int, std::uint64_t>>& turns) {
    std::vector<Arrival> arrivals;
    for (const auto& [number, place] : turns) arrivals.push_back({owner_, turn(number), place});
    const auto found = store_->arrive(arrivals);
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(Answers());
  }
  std::vector<bool> known(const std::vector<int>& numbers) {
    std::vector<Arrival> turns;
    for (const int number : numbers) turns.push_back({owner_, turn(number)});
    const auto found = store_->are_known(turns);
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(std::vector<bool>());
  }
  /// As if so much time had passed: `what` is a table and its column.
  void pass(const std::string& what, const std::string& time) {
    query("UPDATE " + what + " - interval '" + time + "'");
  }
  /// Its call's completion is recorded.
  void end(const std::string& turn) {
    query(
        "INSERT INTO completions (call_id, session_key, incarnation, sequence, outcome, attempt, "
        "seq, completed_at, event) VALUES ('" +
        turn + "', '" + owner_.session_key + "', 1, 1, 'cancelled', 1, 1, now(), '')");
  }
  Result<void> say(const Opened& opened, const Writer& writer, std::uint64_t number,
                   const CallNotes& notes = {}) {
    return store_->append(opened.conversation, writer,
                          {.number = number, .turn = {}, .role = "user", .body = "{}"}, notes);
  }

  const Owner owner_{"default", SessionKey::make().text()};
  std::unique_ptr<ConversationStore> store_;
};

TEST_F(Conversations, HaveOneWriterAndANumberOnce) {
  const Writer first{turn(1), 1};
  const auto opened = taken(first);
  EXPECT_TRUE(say(opened, first, 1));
  EXPECT_EQ(say(opened, first, 1).error().code, ErrorCode::kWrongLastSequence);
  EXPECT_EQ(say(opened, first, 3).error().code, ErrorCode::kWrongLastSequence);
  EXPECT_TRUE(say(opened, first, 2));
  EXPECT_EQ(say(opened, {turn(2), 1}, 3).error().code, ErrorCode::kWrongLastSequence);
  ASSERT_TRUE(store_->release(owner_, first));
  EXPECT_FALSE(say(opened, first, 3)) << "it has been given back";
  const auto again = taken({turn(2), 1});
  EXPECT_EQ(again.conversation, opened.conversation);
  EXPECT_EQ(again.head, 2U);
}

TEST_F(Conversations, ANewerAttemptTakesOverAndTheOldOneWritesNothing) {
  const Writer old{turn(1), 1};
  const auto opened = taken(old);
  EXPECT_TRUE(say(opened, old, 1));
  const Writer newer{turn(1), 2};
  EXPECT_EQ(taken(newer).head, 1U);
  EXPECT_FALSE(say(opened, old, 2)) << "it was paused, and wakes up";
  EXPECT_TRUE(say(opened, newer, 2));
  EXPECT_EQ(asked(old), Taken::kBusy) << "nor does it get the conversation back";
  const auto renewed = store_->renew({old, newer});
  ASSERT_TRUE(renewed);
  EXPECT_EQ(renewed->stop, std::vector<Writer>({old})) << "the newer one continues";
}

TEST_F(Conversations, TurnsWaitInTheirOrderAndNotTooMany) {
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

TEST_F(Conversations, TurnsThatComeHaveTheirPlaces) {
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
  EXPECT_EQ(*apart, Answers{Taken::kTaken}) << "another session's conversation";
}

TEST_F(Conversations, TurnsHaveTheOrderOfTheirPlacesNotOfTheirIds) {
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

TEST_F(Conversations, OfThoseThatComeAtOnceTheLastOnesAreTooMany) {
  taken({turn(99), 1});
  std::vector<std::pair<int, std::uint64_t>> many;
  for (int i = 0; i < kMaxWaitingTurns + 2; ++i) many.emplace_back(50 - i, 10 + i);
  auto expected = Answers(kMaxWaitingTurns, Taken::kBusy);
  expected.insert(expected.end(), 2, Taken::kCrowd);
  EXPECT_EQ(come_at(many), expected);
}

TEST_F(Conversations, ATurnIsKnownFromItsArrivalOn) {
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
  ASSERT_TRUE(store_->start_new(owner_, next));
  ASSERT_TRUE(store_->release(owner_, next));
  EXPECT_EQ(known({3}), std::vector<bool>{true}) << "in the conversation that it began";
  end(turn(1));
  EXPECT_EQ(known({1}), std::vector<bool>{true}) << "cancelled before it came";
  const auto other = store_->are_known({{{"default", SessionKey::make().text()}, turn(3)}});
  ASSERT_TRUE(other);
  EXPECT_EQ(*other, std::vector<bool>{false});
  EXPECT_TRUE(known({}).empty());
}

TEST_F(Conversations, AKilledTurnKeepsItsPlaceUntilItsCallHasEnded) {
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

TEST_F(Conversations, AKilledTurnOfWhichNothingIsHeardIsNotWaitedForForEver) {
  taken({turn(1), 1});
  pass("conversations SET lease_until = lease_until", "139 seconds");
  EXPECT_EQ(asked({turn(2), 1}), Taken::kBusy);
  pass("conversations SET lease_until = lease_until", "2 seconds");
  EXPECT_EQ(come({2}), Answers{Taken::kTaken});
  EXPECT_EQ(asked({turn(2), 1}), Taken::kTaken);
}

TEST_F(Conversations, ATurnThatWaitsKeepsItsPlaceThoughItsProcessWasKilled) {
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

TEST_F(Conversations, ATurnThatHasBegunComesAgainBeforeOneThatWasAcceptedEarlier) {
  taken({turn(2), 1});
  EXPECT_EQ(come({1}), Answers{Taken::kBusy}) << "it came late";
  EXPECT_EQ(come({2}), Answers{Taken::kTaken});
  const Writer again{turn(2), 2};
  taken(again);
  ASSERT_TRUE(store_->release(owner_, again));
  EXPECT_EQ(come({1}), Answers{Taken::kTaken});
}

TEST_F(Conversations, AWriterThatIsAskedToStopLearnsOfIt) {
  const Writer first{turn(1), 1};
  taken(first);
  EXPECT_TRUE(store_->renew({first})->stop.empty());
  ASSERT_TRUE(store_->ask_to_stop(owner_));
  EXPECT_EQ(store_->renew({first})->stop, std::vector<Writer>({first}));
  ASSERT_TRUE(store_->release(owner_, first));
  const Writer second{turn(2), 1};
  taken(second);
  EXPECT_TRUE(store_->renew({second})->stop.empty()) << "that was about the one before";
}

TEST_F(Conversations, TheNewestMessagesAreReadAndNoMore) {
  const Writer writer{turn(1), 1};
  const auto opened = taken(writer);
  for (std::uint64_t number = 1; number <= 200; ++number) ASSERT_TRUE(say(opened, writer, number));
  const auto some = store_->newest(opened.conversation, 10);
  ASSERT_TRUE(some);
  ASSERT_EQ(some->size(), 5U) << "two bytes each";
  EXPECT_EQ(some->front().number, 196U);
  EXPECT_EQ(some->back().number, 200U);
  EXPECT_EQ(store_->newest(opened.conversation, 100'000)->size(), 200U);
}

TEST_F(Conversations, MessagesOfAnyLengthAreReadInAFewSteps) {
  const Writer writer{turn(1), 1};
  const auto opened = taken(writer);
  // Long ones before short ones: what the newest are like does not say how long the next are.
  for (std::uint64_t number = 1; number <= 300; ++number) {
    const auto body = "{" + std::string(number <= 150 ? 1000 : 10, ' ') + "}";
    ASSERT_TRUE(store_->append(opened.conversation, writer,
                               {.number = number, .turn = {}, .role = "user", .body = body}, {}));
  }
  for (const auto& [bytes, count] : {std::pair(1UL, 1U),
                                     {12UL, 1U},
                                     {13UL, 2U},
                                     {1800UL, 150U},
                                     {1801UL, 151U},
                                     {100'000UL, 249U},
                                     {1'000'000UL, 300U}}) {
    const auto read = store_->newest(opened.conversation, bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->size(), count) << bytes;
    for (std::size_t i = 0; i < read->size(); ++i)
      ASSERT_EQ(read->at(i).number, 301 - read->size() + i) << bytes;
  }
}

TEST_F(Conversations, ManyTurnsShareAFewConnections) {
  std::atomic<int> wrong = 0;
  std::atomic<int> most = 0;
  std::atomic<bool> done = false;
  // Those that were there before it, and are about to close, do not count.
  auto watcher = postgres::PgConnection::open(url_);
  ASSERT_TRUE(watcher);
  std::jthread watch([&] {
    while (!done) {
      const auto rows = watcher->execute(
          "SELECT count(*) AS open FROM pg_stat_activity a, pg_stat_activity me "
          "WHERE me.pid = pg_backend_pid() AND a.datname = current_database() "
          "AND a.backend_start > me.backend_start");
      if (rows)
        most = std::max(most.load(), static_cast<int>(rows->at(0).get<std::int64_t>("open")));
    }
  });
  {
    std::vector<std::jthread> turns;
    for (int i = 0; i < 200; ++i)
      turns.emplace_back([&, i] {
        const Owner owner{"default", SessionKey::make().text()};
        const Writer writer{turn(i), 1};
        const auto taken = store_->take(owner, writer);
        if (!taken || taken->taken != Taken::kTaken || !say(taken->opened, writer, 1) ||
            !store_->release(owner, writer))
          ++wrong;
      });
  }
  done = true;
  watch.join();
  EXPECT_EQ(wrong, 0) << "Postgres takes 100 connections here";
  EXPECT_GT(most, 0);
  EXPECT_LE(most, 16);
}

TEST_F(Conversations, ANewOneIsEmptyAndTheOldOneStays) {
  const Writer writer{turn(1), 1};
  const auto old = taken(writer);
  EXPECT_TRUE(say(old, writer, 1));
  const auto made = store_->start_new(owner_, writer);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_NE(made->conversation, old.conversation);
  EXPECT_EQ(made->head, 0U);
  EXPECT_TRUE(say(*made, writer, 1));
  ASSERT_TRUE(store_->release(owner_, writer));
  EXPECT_EQ(taken({turn(2), 1}).conversation, made->conversation);
  const auto read = reader()->messages(old.conversation, 0, 10);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->messages.size(), 1U);
}

TEST_F(Conversations, CallsThatHaveEndedAreFoundOnceByOneProcess) {
  Script script(clock_);
  auto call = script.call();
  call.set_session_key(owner_.session_key);
  script.completed(call, 1);
  collector::BatchWriter writer(url_, clock_);
  write_all(writer, script.messages());
  query(
      "INSERT INTO sessions (session_key, user_id, session_id, namespaces, state, created_at, "
      "updated_at, incarnation, revision, record) VALUES ('" +
      owner_.session_key + "', 'ann', 's', '{}', 'open', now(), now(), 1, 1, '')");
  const Writer first{turn(1), 1};
  const auto opened = taken(first);
  ASSERT_TRUE(store_->set_waking(opened.conversation, true, "token"));
  ASSERT_TRUE(say(opened, first, 1, {.detached = {call.call_id()}, .told = {}}));
  EXPECT_TRUE(store_->wakeable(0)->empty()) << "a turn runs";
  auto untold = *store_->untold(opened.conversation);
  ASSERT_EQ(untold.size(), 1U);
  EXPECT_EQ(untold.front().call, call.call_id());
  EXPECT_EQ(untold.front().event, "");
  ASSERT_TRUE(store_->release(owner_, first));
  const auto found = store_->wakeable(0);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 1U) << query("SELECT * FROM sessions");
  EXPECT_EQ(found->front().session_id, "s");
  EXPECT_EQ(found->front().on_behalf, "token");
  EXPECT_TRUE(make_postgres_conversations(url_)->wakeable(0)->empty()) << "another is elected";
  for (int i = 0; i < kMaxAutoTurns; ++i)
    EXPECT_TRUE(*store_->count_auto_turn(opened.conversation)) << i;
  EXPECT_FALSE(*store_->count_auto_turn(opened.conversation));
  EXPECT_TRUE(store_->wakeable(0)->empty()) << "until the user writes again";
  ASSERT_TRUE(store_->set_waking(opened.conversation, true, "token"));
  EXPECT_EQ(store_->wakeable(0)->size(), 1U);
  const Writer second{turn(2), 1};
  taken(second);
  ASSERT_TRUE(
      say(opened, second, 2,
          {.detached = {}, .told = {}, .progress = {{call.call_id(), "1763668800000-84"}}}));
  untold = *store_->untold(opened.conversation);
  ASSERT_EQ(untold.size(), 1U);
  EXPECT_EQ(untold.front().event, "1763668800000-84");
  ASSERT_TRUE(say(opened, second, 3, {.detached = {}, .told = {call.call_id()}}));
  ASSERT_TRUE(store_->release(owner_, second));
  EXPECT_TRUE(store_->wakeable(0)->empty()) << "it is told";
  EXPECT_TRUE(store_->untold(opened.conversation)->empty());
}

}  // namespace
}  // namespace toolway::persistence::conversations
