// How many sessions a user may have and how fast they may come.
#include <gtest/gtest.h>

#include "gateway/sessions/user_sessions.h"

namespace toolway::gateway::sessions {
namespace {

using Verdict = UserSessions::Verdict;
using std::chrono::seconds;

TEST(UserSessions, ALimitedNumberMayBeOpenAtOnce) {
  UserSessions users({.open = 2, .per_second = 0});
  const MonotonicTime now{};
  EXPECT_EQ(Verdict::kAdmitted, users.judge_new("a", now));
  users.opened("a", true, now);
  users.opened("a", false, now);
  EXPECT_EQ(Verdict::kTooMany, users.judge_new("a", now));
  EXPECT_EQ(Verdict::kTooMany, users.judge_restored("a"));
  EXPECT_EQ(Verdict::kAdmitted, users.judge_new("b", now));
  users.closed("a");
  EXPECT_EQ(Verdict::kAdmitted, users.judge_new("a", now));
  EXPECT_EQ(Verdict::kAdmitted, users.judge_restored("a"));
  users.begin("a");  // one is on its way
  EXPECT_EQ(Verdict::kTooMany, users.judge_new("a", now));
  users.end("a");
  EXPECT_EQ(Verdict::kAdmitted, users.judge_new("a", now));
}

TEST(UserSessions, NewOnesComeNoFasterThanTheRateAfterABurst) {
  UserSessions users({.open = 0, .per_second = 1});
  MonotonicTime now{};
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(Verdict::kAdmitted, users.judge_new("a", now)) << i;
    users.opened("a", true, now);
    users.closed("a");
  }
  EXPECT_EQ(Verdict::kTooFast, users.judge_new("a", now));
  EXPECT_EQ(Verdict::kAdmitted, users.judge_restored("a"));
  EXPECT_EQ(Verdict::kAdmitted, users.judge_new("b", now));
  now += seconds(1);
  EXPECT_EQ(Verdict::kAdmitted, users.judge_new("a", now));
  users.opened("a", true, now);
  EXPECT_EQ(Verdict::kTooFast, users.judge_new("a", now));
}

TEST(UserSessions, ForgetsUsersWhoHaveNoneLeft) {
  UserSessions users({.open = 5, .per_second = 1});
  MonotonicTime now{};
  users.opened("a", true, now);
  users.opened("b", true, now);
  users.closed("a");
  users.sweep(now);
  EXPECT_EQ(2U, users.users());  // a may not begin again by closing what it has opened
  now += seconds(2);
  users.sweep(now);
  EXPECT_EQ(1U, users.users());
  EXPECT_EQ(1U, users.open_of("b"));
  users.forget_all();
  EXPECT_EQ(0U, users.open_of("b"));
}

}  // namespace
}  // namespace toolway::gateway::sessions
