#include "chat/turns/turn_waker.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/test_clock.h"
#include "tests/unit/chat/turns/fake_conversations.h"

namespace toolway::chat::turns {
namespace {

using persistence::conversations::Wakeable;
using std::chrono::seconds;
using Answer = TurnWaker::Answer;

/// Conversations in which calls have ended.
class HasEnds final : public FakeConversations {
 public:
  Result<std::vector<Wakeable>> wakeable(double settled_s,
                                         const std::vector<std::string>& besides) override {
    EXPECT_EQ(settled_s, 2);
    if (away) return not_asked();
    std::vector<Wakeable> found;
    for (const auto& one : conversations)
      if (std::ranges::find(besides, one) == besides.end()) found.push_back({one, "s", "user"});
    return found;
  }
  Result<void> stop_waking(const std::string& conversation) override {
    std::erase(conversations, conversation);
    return {};
  }
  std::vector<std::string> conversations;
  bool away = false;
};

struct TurnWakerTest : testing::Test {
  /// The conversations for which turns are tried within `time`.
  std::vector<std::string> tried_within(seconds time) {
    tried.clear();
    for (seconds passed{0}; passed < time; passed += seconds(1)) {
      waker.wake(stop.get_token());
      clock.advance(seconds(1));
    }
    return tried;
  }

  HasEnds store;
  toolway::test::StoppedClock clock;
  std::vector<std::string> tried;
  Answer answer = Answer::kBegins;
  std::stop_source stop;
  TurnWaker waker{store, clock, [this](const Wakeable& one) {
                    tried.push_back(one.conversation);
                    return answer;
                  }};
};

TEST_F(TurnWakerTest, BeginsOneTurnForEach) {
  store.conversations = {"a", "b"};
  EXPECT_EQ(tried_within(seconds(1)), (std::vector<std::string>{"a", "b"}));
  store.conversations.clear();
  EXPECT_TRUE(tried_within(seconds(3)).empty());
}

TEST_F(TurnWakerTest, TriesAgainLaterAndLaterWhereOneCannotBegin) {
  store.conversations = {"a"};
  answer = Answer::kNotNow;
  // At 0, 2, 6, 14, 30, 62, 122 and 182 s.
  EXPECT_EQ(tried_within(seconds(31)).size(), 5U);
  EXPECT_EQ(tried_within(seconds(152)).size(), 3U);
}

TEST_F(TurnWakerTest, BeginsAgainWithAShortDelayOnceATurnHasBegun) {
  store.conversations = {"a"};
  answer = Answer::kNotNow;
  EXPECT_EQ(tried_within(seconds(14)).size(), 3U);
  answer = Answer::kBegins;
  EXPECT_EQ(tried_within(seconds(1)).size(), 1U);
  answer = Answer::kNotNow;
  EXPECT_EQ(tried_within(seconds(4)).size(), 2U);
}

TEST_F(TurnWakerTest, ForgetsWhatHasBeenToldOtherwise) {
  store.conversations = {"a"};
  answer = Answer::kNotNow;
  EXPECT_EQ(tried_within(seconds(7)).size(), 3U);
  store.conversations.clear();
  EXPECT_TRUE(tried_within(seconds(9)).empty());
  store.conversations = {"a"};
  EXPECT_EQ(tried_within(seconds(3)).size(), 2U) << "as the first time";
}

TEST_F(TurnWakerTest, TriesNoneWhereTheUserMayBeginNone) {
  store.conversations = {"a", "b"};
  answer = Answer::kNotAllowed;
  EXPECT_EQ(tried_within(seconds(5)).size(), 2U);
}

TEST_F(TurnWakerTest, BeginsNothingWhileThereIsNoStoreOrOnceItStops) {
  store.conversations = {"a"};
  store.away = true;
  EXPECT_TRUE(tried_within(seconds(2)).empty());
  store.away = false;
  stop.request_stop();
  EXPECT_TRUE(tried_within(seconds(2)).empty());
}

}  // namespace
}  // namespace toolway::chat::turns
