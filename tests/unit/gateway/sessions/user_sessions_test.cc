// How many sessions a user may have and how fast they may come.
#include <gtest/gtest.h>

#include <array>

#include "gateway/sessions/user_sessions.h"

namespace toolway::gateway::sessions {
namespace {

using Admission = UserSessions::Admission;
using std::chrono::hours;
using std::chrono::seconds;

constexpr std::size_t kSmall = 400;
constexpr std::size_t kMib = 1024 * 1024;

TEST(UserSessions, ALimitedNumberMayBeOpenAtOnce) {
  UserSessions users({.open = 2, .open_mib = 0, .per_second = 0, .per_day = 0});
  const MonotonicTime now{};
  const auto one = SessionKey::make();
  EXPECT_EQ(Admission::kAdmitted, users.judge_new("a", kSmall, now));
  users.opened("a", one, kSmall, true, now);
  users.opened("a", one, kSmall, true, now);  // told twice, it counts once
  EXPECT_EQ(Admission::kAdmitted, users.judge_new("a", kSmall, now));
  users.opened("a", SessionKey::make(), kSmall, false, now);
  EXPECT_EQ(Admission::kTooMany, users.judge_new("a", kSmall, now));
  EXPECT_EQ(Admission::kTooMany, users.judge_restored("a"));
  EXPECT_EQ(Admission::kAdmitted, users.judge_new("b", kSmall, now));
  users.closed("a", SessionKey::make());  // was not counted
  EXPECT_EQ(Admission::kTooMany, users.judge_new("a", kSmall, now));
  users.closed("a", one);
  users.closed("a", one);
  EXPECT_EQ(1U, users.open_of("a"));
  EXPECT_EQ(Admission::kAdmitted, users.judge_new("a", kSmall, now));
  EXPECT_EQ(Admission::kAdmitted, users.judge_restored("a"));
  users.begin("a", kSmall);  // one is on its way
  EXPECT_EQ(Admission::kTooMany, users.judge_new("a", kSmall, now));
  users.end("a", kSmall);
  EXPECT_EQ(Admission::kAdmitted, users.judge_new("a", kSmall, now));
}

TEST(UserSessions, TheOpenOnesTakeNoMoreThanTheirShareOfTheBucket) {
  UserSessions users({.open = 0, .open_mib = 1, .per_second = 0, .per_day = 0});
  const MonotonicTime now{};
  const auto one = SessionKey::make();
  users.opened("a", one, kMib / 2, true, now);
  EXPECT_EQ(Admission::kAdmitted, users.judge_new("a", kMib / 2, now));
  EXPECT_EQ(Admission::kTooLarge, users.judge_new("a", kMib / 2 + 1, now));
  users.begin("a", kMib / 2);
  EXPECT_EQ(Admission::kTooLarge, users.judge_new("a", kSmall, now));
  EXPECT_EQ(Admission::kTooLarge, users.judge_restored("a"));
  EXPECT_EQ(Admission::kAdmitted, users.judge_new("b", kMib, now));
  EXPECT_EQ(Admission::kTooLarge, users.judge_new("b", kMib + 1, now));
  users.end("a", kMib / 2);
  users.opened("a", one, kSmall, false, now);  // its record became shorter
  EXPECT_EQ(Admission::kAdmitted, users.judge_new("a", kMib - kSmall, now));
}

TEST(UserSessions, NewOnesComeNoFasterThanTheRateAfterABurst) {
  UserSessions users({.open = 0, .open_mib = 0, .per_second = 1, .per_day = 0});
  MonotonicTime now{};
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(Admission::kAdmitted, users.judge_new("a", kSmall, now)) << i;
    const auto key = SessionKey::make();
    users.opened("a", key, kSmall, true, now);
    users.closed("a", key);
  }
  EXPECT_EQ(Admission::kTooFast, users.judge_new("a", kSmall, now));
  EXPECT_EQ(Admission::kAdmitted, users.judge_restored("a"));
  EXPECT_EQ(Admission::kAdmitted, users.judge_new("b", kSmall, now));
  now += seconds(1);
  EXPECT_EQ(Admission::kAdmitted, users.judge_new("a", kSmall, now));
  users.opened("a", SessionKey::make(), kSmall, true, now);
  EXPECT_EQ(Admission::kTooFast, users.judge_new("a", kSmall, now));
}

/// Each leaves its name in the bucket for days, whether it is open or closed.
TEST(UserSessions, NewOnesAndThoseThatReturnToTheBucketHaveADaysLimit) {
  UserSessions users({.open = 0, .open_mib = 0, .per_second = 0, .per_day = 24});
  MonotonicTime now{};
  for (int i = 0; i < 24; ++i) {
    ASSERT_EQ(Admission::kAdmitted, users.judge_new("a", kSmall, now)) << i;
    const auto key = SessionKey::make();
    if (i % 2 == 0) users.opened("a", key, kSmall, true, now);
    if (i % 2 == 1) users.entered("a", now);
    users.closed("a", key);
  }
  EXPECT_EQ(Admission::kTooManyToday, users.judge_new("a", kSmall, now));
  EXPECT_EQ(Admission::kTooManyToday, users.judge_entry("a", now));
  EXPECT_EQ(Admission::kAdmitted, users.judge_restored("a"));  // its entry is there
  EXPECT_EQ(Admission::kAdmitted, users.judge_entry("b", now));
  users.sweep(now);
  EXPECT_EQ(1U, users.users());
  now += hours(1) + seconds(1);
  EXPECT_EQ(Admission::kAdmitted, users.judge_new("a", kSmall, now));
  users.entered("a", now);
  EXPECT_EQ(Admission::kTooManyToday, users.judge_new("a", kSmall, now));
  now += hours(25);
  users.sweep(now);
  EXPECT_EQ(0U, users.users());
}

TEST(UserSessions, ARecountForgetsWhatIsGoneAndNothingBeforeItsEnd) {
  UserSessions users({.open = 3, .open_mib = 0, .per_second = 0, .per_day = 0});
  const MonotonicTime now{};
  const std::array keys{SessionKey::make(), SessionKey::make(), SessionKey::make()};
  for (const auto& key : keys) users.opened("a", key, kSmall, false, now);
  const auto bytes = users.bytes();
  users.begin_recount();
  EXPECT_EQ(3U, users.open_of("a"));
  users.begin_recount();  // the connection broke again
  users.opened("a", keys[0], kSmall, false, now);
  EXPECT_EQ(Admission::kTooMany, users.judge_new("a", kSmall, now));
  users.end_recount();
  EXPECT_EQ(1U, users.open_of("a"));
  EXPECT_LT(users.bytes(), bytes);
  EXPECT_EQ(Admission::kAdmitted, users.judge_new("a", kSmall, now));
}

TEST(UserSessions, ForgetsUsersWhoHaveNoneLeft) {
  UserSessions users({.open = 5, .open_mib = 0, .per_second = 1, .per_day = 0});
  MonotonicTime now{};
  const auto one = SessionKey::make();
  users.opened("a", one, kSmall, true, now);
  users.opened("b", SessionKey::make(), kSmall, true, now);
  users.closed("a", one);
  users.sweep(now);
  EXPECT_EQ(2U, users.users());  // a may not begin again by closing what it has opened
  now += seconds(2);
  users.sweep(now);
  EXPECT_EQ(1U, users.users());
  EXPECT_EQ(1U, users.open_of("b"));
}

TEST(UserSessions, EachRefusalNamesItsLimit) {
  const SessionCaps caps{.open = 11, .open_mib = 22, .per_second = 33, .per_day = 44};
  EXPECT_FALSE(refuse_session(Admission::kAdmitted, caps));
  for (const auto& [admission, words] :
       {std::pair{Admission::kTooMany, "11 open sessions, the limit per user (--user-sessions)"},
        std::pair{Admission::kTooLarge, "22 MiB with their metadata"},
        std::pair{Admission::kTooFast, "33 sessions a second (--user-session-rate)"},
        std::pair{Admission::kTooManyToday, "44 sessions within a day"}}) {
    const auto error = refuse_session(admission, caps);
    ASSERT_TRUE(error) << words;
    EXPECT_EQ(ErrorCode::kTooManySessions, error->code);
    EXPECT_NE(std::string::npos, error->message.find(words)) << error->message;
    EXPECT_TRUE(error->retry_after) << words;
  }
}

}  // namespace
}  // namespace toolway::gateway::sessions
