#pragma once

#include <limits>

#include "persistence/conversations/postgres_conversations.h"
#include "tests/integration/persistence/store_fixture.h"

namespace toolway::persistence::conversations {

/// A store of conversations on a real Postgres, and one session.
class ConversationsFixture : public StoreFixture {
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
    return answers(arrivals);
  }
  /// Turns with places of their own.
  Answers come_at(const std::vector<std::pair<int, std::uint64_t>>& turns) {
    std::vector<Arrival> arrivals;
    for (const auto& [number, place] : turns) arrivals.push_back({owner_, turn(number), place});
    return answers(arrivals);
  }
  Answers answers(const std::vector<Arrival>& arrivals) {
    const auto found = store_->arrive(arrivals);
    EXPECT_TRUE(found) << found.error().message;
    Answers answers;
    for (const auto& one : found.value_or(std::vector<Arrived>())) answers.push_back(one.taken);
    return answers;
  }
  /// Of the turn that began last.
  std::uint64_t begun_place() {
    const auto found =
        store_->arrive({{owner_, turn(99), std::numeric_limits<std::int64_t>::max()}});
    EXPECT_TRUE(found) << found.error().message;
    return found ? found->front().begun_place : 0;
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

  /// What is read at once is what is read one after the other.
  void expect_read_alike(const std::string& conversation, std::uint64_t before) {
    const auto both = store_->read(conversation, before, 1000);
    ASSERT_TRUE(both) << both.error().message;
    const auto messages = store_->last_before(conversation, before, 1000);
    const auto news = store_->news(conversation, "");
    ASSERT_TRUE(messages && news);
    const auto texts = [](const std::vector<StoredMessage>& of, const CallNews& and_of) {
      std::vector<std::string> texts;
      for (const auto& one : of)
        texts.push_back(fmt::format("{} {} {} {}", one.number, one.turn, one.role, one.body));
      for (const auto& one : and_of.untold) texts.push_back(one.call + " " + one.event);
      for (const auto& one : and_of.ended)
        texts.push_back(fmt::format("{} {} {}", one.call, one.of_turn, one.place));
      return texts;
    };
    EXPECT_EQ(texts(both->messages, both->news), texts(*messages, *news));
  }

  const Owner owner_{"default", SessionKey::make().text()};
  std::unique_ptr<ConversationStore> store_;
};

}  // namespace toolway::persistence::conversations
