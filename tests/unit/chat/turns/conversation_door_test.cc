#include "chat/turns/conversation_door.h"

#include <gtest/gtest.h>

#include <map>

#include "monitoring/metric_registry.h"
#include "tests/support/awaiting.h"
#include "tests/support/test_clock.h"
#include "tests/unit/chat/turns/fake_conversations.h"
#include "tests/unit/chat/turns/fake_turn_queue.h"

namespace toolway::chat::turns {
namespace {

/// Says of each turn what a test wants.
class Says final : public FakeConversations {
 public:
  Result<std::vector<Arrived>> arrive(const std::vector<Arrival>& arrivals) override {
    const MutexLock lock(mutex_);
    if (away) return fail(ErrorCode::kStoreUnavailable, "away");
    std::vector<Arrived> found;
    for (const auto& one : arrivals)
      found.push_back({.taken = of[one.turn], .begun_place = begun_place});
    arrived += arrivals.size();
    places.push_back(arrivals.front().place);
    return found;
  }
  Result<std::vector<bool>> are_known(const std::vector<Arrival>& turns) override {
    return std::vector<bool>(turns.size(), false);
  }
  Result<void> ask_to_stop(const Owner& owner) override {
    const MutexLock lock(mutex_);
    stopped.push_back(owner.session_key);
    return {};
  }

  Mutex mutex_;
  std::map<std::string, Taken> of;
  std::vector<std::string> stopped;
  std::size_t arrived = 0;
  std::vector<std::uint64_t> places;
  std::uint64_t begun_place = 0;
  bool away = false;
};

class ConversationDoor : public testing::Test {
 protected:
  using Taken = persistence::conversations::Taken;

  static constexpr std::uint64_t kPlace = 7;
  ConversationDoor() { stored(kPlace, "any"); }
  void stored(std::uint64_t sequence, const std::string& id) {
    queue_.store("session", {.sequence = sequence,
                             .id = id,
                             .arguments = R"({"step": "send"})",
                             .stored_at = clock_.wall()});
  }
  /// Whether a turn may begin.
  bool asks(const std::string& turn, const std::string& arguments) {
    toolway::test::Awaited<bool> answer;
    door_.ask({.owner = {"default", "session"},
               .id = turn,
               .arguments = arguments,
               .place = {"session", kPlace},
               .answered = answer.callback()});
    const auto said = answer.next();
    EXPECT_TRUE(said);
    return said.value_or(false);
  }
  double waiting() { return metrics_->gauge(monitoring::kTurnsWaiting).value(); }

  toolway::test::StoppedClock clock_;
  std::unique_ptr<monitoring::MetricRegistry> metrics_ = monitoring::make_registry("chat");
  Says store_;
  FakeTurnQueue queue_;
  turns::ConversationDoor door_{store_, queue_, *metrics_, clock_};
};

constexpr const char* kSend = R"({"step": "send", "content": "hi"})";

TEST_F(ConversationDoor, LetsInWhoseConversationIsFree) {
  store_.of = {{"free", Taken::kTaken}, {"busy", Taken::kBusy}};
  EXPECT_TRUE(asks("free", kSend));
  EXPECT_FALSE(asks("busy", kSend));
  EXPECT_FALSE(asks("busy", R"({"step": "new"})"));
  EXPECT_FALSE(asks("busy", R"({"step": "import", "messages": []})"));
  EXPECT_TRUE(store_.stopped.empty());
}

TEST_F(ConversationDoor, MakesTurnsWaitForAnEarlierOneOfWhichNothingIsKnown) {
  stored(kPlace - 1, "earlier");
  EXPECT_FALSE(asks("later", kSend));
  EXPECT_EQ(store_.places, std::vector<std::uint64_t>{kPlace}) << "it has its place by then";
  EXPECT_FALSE(asks("later", R"({"step": "send", "on_busy": "refuse"})"))
      << "its turn would find the conversation free";
  EXPECT_FALSE(asks("later", R"({"step": "send", "on_busy": "interrupt"})"));
  EXPECT_TRUE(store_.stopped.empty()) << "none runs";
  EXPECT_TRUE(asks("api", R"({"step": "send", "messages": []})"));
}

TEST_F(ConversationDoor, LetsInWhoWillSayItselfThatItCannotWait) {
  store_.of = {{"busy", Taken::kBusy}, {"crowd", Taken::kCrowd}};
  EXPECT_TRUE(asks("busy", R"({"step": "send", "on_busy": "refuse"})"));
  EXPECT_TRUE(asks("crowd", kSend));
}

/// The turn that runs may have ended by the time that they ask for the conversation.
TEST_F(ConversationDoor, MakesThemWaitForAnEarlierOneOfWhichNothingIsKnownToo) {
  stored(kPlace - 1, "earlier");
  store_.of = {{"busy", Taken::kBusy}, {"crowd", Taken::kCrowd}};
  EXPECT_FALSE(asks("busy", R"({"step": "send", "on_busy": "refuse"})"));
  EXPECT_FALSE(asks("crowd", kSend));
}

TEST_F(ConversationDoor, AsksTheTurnThatRunsToStop) {
  store_.of = {{"busy", Taken::kBusy}};
  EXPECT_FALSE(asks("busy", R"({"step": "send", "on_busy": "interrupt"})"));
  EXPECT_EQ(store_.stopped, std::vector<std::string>{"session"});
}

TEST_F(ConversationDoor, DoesNotAskForATurnWithoutAConversation) {
  EXPECT_TRUE(asks("api", R"({"step": "send", "messages": [{"role": "user"}]})"));
  EXPECT_TRUE(asks("odd", "[[[")) << "its tool says what is wrong";
  EXPECT_EQ(store_.arrived, 0U);
}

TEST_F(ConversationDoor, WhilePostgresIsAwayTurnsWaitAndStopNothing) {
  store_.away = true;
  EXPECT_FALSE(asks("a", R"({"step": "send", "on_busy": "refuse"})"));
  EXPECT_FALSE(asks("a", R"({"step": "send", "on_busy": "interrupt"})"));
  EXPECT_TRUE(store_.stopped.empty());
}

TEST_F(ConversationDoor, SaysHowManyWait) {
  store_.of = {{"a", Taken::kBusy}, {"b", Taken::kBusy}, {"c", Taken::kTaken}};
  asks("a", kSend);
  asks("b", kSend);
  asks("c", kSend);
  asks("c", kSend);  // its answer comes after the number of those before it
  EXPECT_EQ(waiting(), 2);
  store_.of["a"] = Taken::kTaken;
  asks("a", kSend);
  asks("c", kSend);
  EXPECT_EQ(waiting(), 1);
  clock_.advance(std::chrono::seconds(3));
  asks("c", kSend);
  asks("c", kSend);
  EXPECT_EQ(waiting(), 0) << "it was cancelled, or went to another process";
}

}  // namespace
}  // namespace toolway::chat::turns
