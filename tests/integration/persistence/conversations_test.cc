// Conversations as chat processes keep them, on a real Postgres.
#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/integration/persistence/conversations_fixture.h"

namespace toolway::persistence::conversations {
namespace {

class Conversations : public ConversationsFixture {};

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

TEST_F(Conversations, TheLastMessageOfATurnReleasesThem) {
  const Writer first{turn(1), 1};
  const auto opened = taken(first);
  ASSERT_TRUE(say(opened, first, 1));
  ASSERT_TRUE(store_->ask_to_stop(owner_));
  EXPECT_EQ(asked({turn(2), 1}), Taken::kBusy);
  const StoredMessage last{
      .number = 2, .turn = {}, .role = "assistant", .body = "{}", .ends_turn = true};
  ASSERT_TRUE(store_->append(opened.conversation, first, last, {}));
  EXPECT_FALSE(say(opened, first, 3)) << "it has been given back";
  EXPECT_EQ(known({1}), std::vector<bool>({true}));
  const Writer second{turn(2), 1};
  EXPECT_EQ(taken(second).head, 2U);
  EXPECT_TRUE(store_->renew({{owner_, second}})->stop.empty()) << "that was about the one before";
  EXPECT_FALSE(store_->append(opened.conversation, first, last, {})) << "another turn has it";
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
  const auto renewed = store_->renew({{owner_, old}, {owner_, newer}});
  ASSERT_TRUE(renewed);
  EXPECT_EQ(renewed->stop, std::vector<Writer>({old})) << "the newer one continues";
}

TEST_F(Conversations, AWriterThatIsAskedToStopLearnsOfIt) {
  const Writer first{turn(1), 1};
  taken(first);
  EXPECT_TRUE(store_->renew({{owner_, first}})->stop.empty());
  ASSERT_TRUE(store_->ask_to_stop(owner_));
  EXPECT_EQ(store_->renew({{owner_, first}})->stop, std::vector<Writer>({first}));
  ASSERT_TRUE(store_->release(owner_, first));
  const Writer second{turn(2), 1};
  taken(second);
  EXPECT_TRUE(store_->renew({{owner_, second}})->stop.empty()) << "that was about the one before";
}

TEST_F(Conversations, TheNewestMessagesAreReadAndNoMore) {
  const Writer writer{turn(1), 1};
  const auto opened = taken(writer);
  for (std::uint64_t number = 1; number <= 200; ++number) ASSERT_TRUE(say(opened, writer, number));
  const auto some = store_->last_before(opened.conversation, 201, 10);
  ASSERT_TRUE(some);
  ASSERT_EQ(some->size(), 5U) << "two bytes each";
  EXPECT_EQ(some->front().number, 196U);
  EXPECT_EQ(some->back().number, 200U);
  expect_read_alike(opened.conversation, 201);
  expect_read_alike(opened.conversation, 100);
  const auto before = store_->last_before(opened.conversation, 196, 3);
  ASSERT_EQ(before->size(), 1U) << "a second one would be more than three bytes";
  EXPECT_EQ(before->front().number, 195U);
  EXPECT_EQ(store_->last_before(opened.conversation, 201, 100'000)->size(), 200U);
  EXPECT_TRUE(store_->last_before(opened.conversation, 1, 100'000)->empty());
}

TEST_F(Conversations, MessagesOfAnyLengthAreReadByTheirBytes) {
  const Writer writer{turn(1), 1};
  const auto opened = taken(writer);
  for (std::uint64_t number = 1; number <= 300; ++number) {
    const auto body = "{" + std::string(number <= 150 ? 1000 : 10, ' ') + "}";
    ASSERT_TRUE(store_->append(opened.conversation, writer,
                               {.number = number, .turn = {}, .role = "user", .body = body}, {}));
  }
  for (const auto& [bytes, count] : {std::pair(0UL, 1U),
                                     {1UL, 1U},
                                     {12UL, 1U},
                                     {24UL, 2U},
                                     {1800UL, 64U},
                                     {100'000UL, 248U},
                                     {1'000'000UL, 300U}}) {
    const auto read = store_->last_before(opened.conversation, 301, bytes);
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
  const auto made = store_->start_new(owner_, writer, "{}");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_NE(made->conversation, old.conversation);
  EXPECT_EQ(made->head, 0U);
  EXPECT_TRUE(say(*made, writer, 1));
  ASSERT_TRUE(store_->release(owner_, writer));
  EXPECT_EQ(taken({turn(2), 1}).conversation, made->conversation);
  const auto left = store_->left_by(owner_, turn(1), made->conversation);
  ASSERT_TRUE(left) << left.error().message;
  ASSERT_TRUE(*left);
  EXPECT_EQ((*left)->conversation, old.conversation);
  EXPECT_EQ((*left)->head, 1U);
  EXPECT_FALSE(*store_->left_by(owner_, turn(2), made->conversation));
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
  const CallNotes::UserTurn begun{true, "token", R"({"inline_ms":0})"};
  ASSERT_TRUE(say(opened, first, 1, {.detached = {call.call_id()}, .told = {}, .begun = begun}));
  EXPECT_TRUE(store_->wakeable(0, {})->empty()) << "a turn runs";
  const auto untold_now = [&] { return store_->news(opened.conversation, "")->untold; };
  auto untold = untold_now();
  ASSERT_EQ(untold.size(), 1U);
  EXPECT_EQ(untold.front().call, call.call_id());
  EXPECT_EQ(untold.front().event, "");
  expect_read_alike(opened.conversation, 2);
  ASSERT_TRUE(store_->release(owner_, first));
  const auto found = store_->wakeable(0, {});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 1U) << query("SELECT * FROM sessions");
  EXPECT_EQ(found->front().session_id, "s");
  EXPECT_EQ(found->front().on_behalf, "token");
  EXPECT_EQ(found->front().conversation, opened.conversation);
  EXPECT_TRUE(store_->wakeable(0, {opened.conversation})->empty()) << "it is left out";
  EXPECT_TRUE(make_postgres_conversations(url_)->wakeable(0, {})->empty()) << "another is elected";
  for (int i = 0; i < kMaxAutoTurns; ++i)
    EXPECT_TRUE(*store_->count_auto_turn(opened.conversation)) << i;
  EXPECT_FALSE(*store_->count_auto_turn(opened.conversation));
  EXPECT_TRUE(store_->wakeable(0, {})->empty()) << "until the user writes again";
  const Writer second{turn(2), 1};
  EXPECT_EQ(taken(second).options, begun.options);
  ASSERT_TRUE(say(opened, second, 2, {.detached = {}, .told = {}, .begun = begun}));
  ASSERT_TRUE(store_->release(owner_, second));
  EXPECT_EQ(store_->wakeable(0, {})->size(), 1U);
  ASSERT_TRUE(store_->stop_waking(opened.conversation));
  EXPECT_TRUE(store_->wakeable(0, {})->empty());
  const Writer third{turn(3), 1};
  taken(third);
  ASSERT_TRUE(
      say(opened, third, 3,
          {.detached = {}, .told = {}, .progress = {{call.call_id(), "1763668800000-84"}}}));
  untold = untold_now();
  ASSERT_EQ(untold.size(), 1U);
  EXPECT_EQ(untold.front().event, "1763668800000-84");
  ASSERT_TRUE(say(opened, third, 4, {.detached = {}, .told = {call.call_id()}}));
  ASSERT_TRUE(store_->release(owner_, third));
  EXPECT_TRUE(store_->wakeable(0, {})->empty()) << "it is told";
  EXPECT_TRUE(untold_now().empty());
}

TEST_F(Conversations, HearOfCallsOfTheirSessionThatNoTurnMade) {
  Script script(clock_);
  collector::BatchWriter writer(url_, clock_);
  const auto ends = [&](const std::string& parent = "", const std::string& session = "") {
    auto call = script.call("{}", parent);
    call.set_session_key(session.empty() ? owner_.session_key : session);
    script.completed(call, 1);
    write_all(writer, script.messages());
    return call.call_id();
  };
  ends();
  const Writer first{turn(1), 1};
  const auto opened = taken(first);
  const auto news = [&](const std::string& after = "") {
    const auto found = store_->news(opened.conversation, after);
    EXPECT_TRUE(found) << found.error().message;
    return found ? found->ended : std::vector<CallNews::Ended>();
  };
  EXPECT_TRUE(news().empty()) << "what ended before a conversation began is not news";
  const auto one = ends();
  ends("", SessionKey::make().text());
  const auto child = ends(turn(1));
  const auto its_turn = ends();
  query("UPDATE calls SET namespace = 'toolway' WHERE call_id = '" + its_turn + "'");
  const auto two = ends();
  auto found = news();
  ASSERT_EQ(found.size(), 4U);
  expect_read_alike(opened.conversation, 1);
  for (const auto& [index, call, of_turn] :
       {std::tuple(0U, one, false), {1U, child, true}, {2U, its_turn, true}, {3U, two, false}}) {
    EXPECT_EQ(found[index].call, call);
    EXPECT_EQ(found[index].of_turn, of_turn) << index;
  }
  EXPECT_EQ(news(found[1].place).size(), 2U);
  ASSERT_TRUE(say(opened, first, 1, {.detached = {}, .told = {one}, .heard = found[2].place}));
  ASSERT_EQ(news().size(), 1U);
  EXPECT_EQ(news().front().call, two);
  expect_read_alike(opened.conversation, 2);
  ASSERT_TRUE(say(opened, first, 2));
  EXPECT_EQ(news().size(), 1U) << "a message that says nothing of it changes nothing";
  EXPECT_FALSE(say(opened, {turn(2), 1}, 3, {.detached = {}, .told = {}, .heard = found[3].place}));
  EXPECT_EQ(news().size(), 1U) << "nor does one of a writer that has lost the conversation";
  const auto next = store_->start_new(owner_, first, {});
  EXPECT_TRUE(store_->news(next->conversation, "")->ended.empty());
}

TEST_F(Conversations, WaitForARequestThatIsRecordedAfterItsCompletion) {
  const Writer first{turn(1), 1};
  const auto opened = taken(first);
  end(turn(7));
  EXPECT_TRUE(store_->news(opened.conversation, "")->ended.empty());
  query("UPDATE completions SET completed_at = completed_at - interval '1 minute'");
  const auto late = store_->news(opened.conversation, "")->ended;
  ASSERT_EQ(late.size(), 1U);
  EXPECT_TRUE(late.front().of_turn) << "it never comes, so nothing can be told";
}

}  // namespace
}  // namespace toolway::persistence::conversations
