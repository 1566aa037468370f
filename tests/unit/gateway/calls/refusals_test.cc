#include "gateway/calls/refusals.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "tests/support/test_clock.h"

namespace toolway::gateway::calls {
namespace {

using std::chrono::seconds;
using Which = Refusals::Which;

class RefusalsTest : public testing::Test {
 protected:
  static wire::Caller caller(std::string user) {
    return {.user_id = std::move(user), .key_id = "0123456789ab", .method = "key"};
  }
  test::StoppedClock clock_{WallTime(seconds(6'000))};
  Refusals refusals_{clock_};
};

TEST_F(RefusalsTest, AreOneRecordPerMinuteUserAndCode) {
  for (int i = 0; i < 3; ++i) refusals_.note(caller("ann"), ErrorCode::kPermissionDenied);
  clock_.advance(seconds(10));
  refusals_.note(caller("ann"), ErrorCode::kPermissionDenied);
  refusals_.note(caller("ann"), ErrorCode::kRateLimited);
  refusals_.note(caller("bob"), ErrorCode::kPermissionDenied);
  refusals_.note({}, ErrorCode::kUnauthenticated);
  EXPECT_TRUE(refusals_.take(Which::kOfPastMinutes).empty());
  clock_.advance(seconds(51));
  const auto records = refusals_.take(Which::kOfPastMinutes);
  ASSERT_EQ(records.size(), 4U);
  const auto& ann = records[1];
  EXPECT_EQ(ann.what(), "refused");
  EXPECT_EQ(ann.user_id(), "ann");
  EXPECT_EQ(ann.key_id(), "0123456789ab");
  EXPECT_EQ(ann.method(), "key");
  EXPECT_EQ(ann.code(), "permission_denied");
  EXPECT_EQ(ann.at_us(), 6'061'000'000);
  EXPECT_EQ(ann.details(), R"({"count":4,"first_us":6000000000,"last_us":6010000000})");
  EXPECT_TRUE(parse_json(ann.details()));
  EXPECT_EQ(records[0].user_id(), "");
  EXPECT_EQ(records[0].code(), "unauthenticated");
  EXPECT_TRUE(refusals_.take(Which::kAll).empty());
}

TEST_F(RefusalsTest, AreNotWhatIsMerelyWrong) {
  refusals_.note(caller("ann"), ErrorCode::kInvalidArguments);
  refusals_.note(caller("ann"), ErrorCode::kUnknownTool);
  refusals_.note(caller("ann"), ErrorCode::kOverloaded);
  // An extension or a service failed, and its on_failure is closed.
  refusals_.note(caller("ann"), ErrorCode::kInternal);
  refusals_.note(caller("ann"), ErrorCode::kTimeout);
  EXPECT_TRUE(refusals_.take(Which::kAll).empty());
}

TEST_F(RefusalsTest, AreToldWhenTheGatewayEnds) {
  refusals_.note(caller("ann"), ErrorCode::kPermissionDenied);
  EXPECT_EQ(refusals_.take(Which::kAll).size(), 1U);
}

TEST_F(RefusalsTest, ComeOnceMoreAsTheyWereWhenTheyCouldNotBeTold) {
  refusals_.note(caller("ann"), ErrorCode::kPermissionDenied);
  auto records = refusals_.take(Which::kAll);
  const auto id = records[0].id();
  refusals_.put_back(std::move(records[0]));
  const auto again = refusals_.take(Which::kOfPastMinutes);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].id(), id);
}

TEST_F(RefusalsTest, AreBounded) {
  for (std::size_t i = 0; i < 2 * Refusals::kUsers; ++i)
    refusals_.note(caller(std::to_string(i)), ErrorCode::kPermissionDenied);
  const auto records = refusals_.take(Which::kAll);
  EXPECT_EQ(records.size(), Refusals::kUsers + 1);
  EXPECT_EQ(records[0].user_id(), "");
  const auto others = parse_json(records[0].details());
  ASSERT_TRUE(others);
  EXPECT_EQ((*others)["count"], Refusals::kUsers);
}

}  // namespace
}  // namespace toolway::gateway::calls
