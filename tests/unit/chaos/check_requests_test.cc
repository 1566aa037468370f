#include <gtest/gtest.h>

#include "tests/unit/chaos/runs.h"

namespace toolway::chaos {
namespace {

Verdicts judged(const std::vector<Post>& posts, const std::vector<CallRow>& calls,
                const std::vector<Trace>& traces = {}) {
  Verdicts verdicts;
  check_requests({posts, calls, traces}, verdicts);
  check_traces({posts, calls, traces}, verdicts);
  return verdicts;
}

Trace start(const std::string& call, unsigned attempt = 1) {
  return {.call_id = call, .attempt = attempt, .token = "t"};
}

TEST(CheckRequests, FindsNothingWhereAllIsWell) {
  EXPECT_TRUE(
      judged({request("t", Fate::kAccepted, "c1")}, {recorded("c1", "t")}, {start("c1")}).clean());
}

TEST(CheckRequests, FindsAnAcceptedCallThatIsNotRecorded) {
  EXPECT_EQ(judged({request("t", Fate::kAccepted, "c1")}, {})[Property::kOneCompletion].violated,
            1U);
}

TEST(CheckRequests, FindsAnAcceptedCallWithoutACompletion) {
  EXPECT_EQ(judged({request("t", Fate::kAccepted, "c1")},
                   {recorded("c1", "t", "")})[Property::kOneCompletion]
                .violated,
            1U);
}

TEST(CheckRequests, AnAcceptedCallWithoutAnIdIsThere) {
  EXPECT_TRUE(
      judged({request("t", Fate::kAccepted)}, {recorded("c1", "t")}, {start("c1")}).clean());
  EXPECT_EQ(judged({request("t", Fate::kAccepted)}, {})[Property::kOneCompletion].violated, 1U);
  EXPECT_EQ(
      judged({request("t", Fate::kAccepted)}, {recorded("c1", "t", "")})[Property::kOneCompletion]
          .violated,
      1U);
}

TEST(CheckRequests, FindsARefusedCallThatRan) {
  EXPECT_EQ(judged({request("t", Fate::kRefused)}, {recorded("c1", "t")},
                   {start("c1")})[Property::kRefusedNeverRan]
                .violated,
            1U);
}

TEST(CheckRequests, FindsATraceOfACallThatIsNot) {
  EXPECT_EQ(judged({request("t", Fate::kRefused)}, {}, {start("c9")})[Property::kRefusedNeverRan]
                .violated,
            1U);
}

TEST(CheckRequests, FindsACallThatWasNotAskedFor) {
  EXPECT_EQ(judged({}, {recorded("c1", "t")}, {start("c1")})[Property::kRefusedNeverRan].violated,
            1U);
}

TEST(CheckRequests, LeavesWhatTurnsMakeToOthers) {
  auto made = recorded("c1", "t");
  made.parent = "t1";
  EXPECT_TRUE(
      judged({}, {made, recorded("t2", "", "succeeded", kTurnTool)}, {start("c1")}).clean());
  EXPECT_FALSE(judged({}, {recorded("t2", "t", "succeeded", kTurnTool)}).clean())
      << "a message that no talker sent";
}

TEST(CheckRequests, AllowsAnUnknownOneToRunOnceOrNot) {
  EXPECT_TRUE(judged({request("t", Fate::kUnknown)}, {}).clean());
  EXPECT_TRUE(judged({request("t", Fate::kUnknown)}, {recorded("c1", "t")}, {start("c1")}).clean());
}

TEST(CheckRequests, FindsAnUnknownOneThatRanTwice) {
  EXPECT_EQ(judged({request("t", Fate::kUnknown)}, {recorded("c1", "t"), recorded("c2", "t")},
                   {start("c1"), start("c2")})[Property::kRefusedNeverRan]
                .violated,
            1U);
}

TEST(CheckRequests, FindsTwoCallsForOneKey) {
  const auto verdicts =
      judged({request("t", Fate::kAccepted, "c1", "k"), request("t", Fate::kAccepted, "c2", "k")},
             {recorded("c1", "t"), recorded("c2", "t")}, {start("c1"), start("c2")});
  EXPECT_EQ(verdicts[Property::kIdempotencyKey].violated, 1U);
}

TEST(CheckRequests, FindsASecondCallAfterAnUnknownRequestWithTheSameKey) {
  const auto verdicts =
      judged({request("t", Fate::kUnknown, "", "k"), request("t", Fate::kAccepted, "c2", "k")},
             {recorded("c1", "t"), recorded("c2", "t")}, {start("c1"), start("c2")});
  EXPECT_EQ(verdicts[Property::kIdempotencyKey].violated, 1U);
}

TEST(CheckRequests, FindsACallRecordedForAnotherUser) {
  auto call = recorded("c1", "t");
  call.user = "u2";
  EXPECT_EQ(
      judged({request("t", Fate::kAccepted, "c1")}, {call}, {start("c1")})[Property::kAgreement]
          .violated,
      1U);
}

TEST(CheckTraces, FindsASecondStartOfAToolThatIsNotIdempotent) {
  const auto verdicts = judged({request("t", Fate::kAccepted, "c1")}, {recorded("c1", "t")},
                               {start("c1"), start("c1", 2)});
  EXPECT_EQ(verdicts[Property::kOneStart].violated, 1U);
}

TEST(CheckTraces, AllowsOneStartForEachAttemptThatAPolicyLists) {
  const auto call = recorded("c1", "t", "succeeded", "chaos.flaky_coded");
  const std::vector<Post> posts{request("t", Fate::kAccepted, "c1")};
  EXPECT_TRUE(judged(posts, {call}, {start("c1"), start("c1", 2), start("c1", 3)}).clean());
  EXPECT_EQ(
      judged(posts, {call}, {start("c1"), start("c1", 2), start("c1", 2)})[Property::kOneStart]
          .violated,
      1U);
  EXPECT_EQ(
      judged(posts, {call},
             {start("c1"), start("c1", 2), start("c1", 3), start("c1", 4)})[Property::kOneStart]
          .violated,
      1U);
}

TEST(CheckTraces, AllowsAnIdempotentToolToStartAgain) {
  const auto call = recorded("c1", "t", "succeeded", "chaos.effect_again");
  EXPECT_TRUE(
      judged({request("t", Fate::kAccepted, "c1")}, {call}, {start("c1"), start("c1", 2)}).clean());
}

TEST(CheckTraces, FindsASuccessThatLeftNoTrace) {
  EXPECT_EQ(
      judged({request("t", Fate::kAccepted, "c1")}, {recorded("c1", "t")})[Property::kAgreement]
          .violated,
      1U);
}

TEST(CheckCrowd, FindsAStartThatFoundAsManyRunningAsTheLimitAllows) {
  const auto call = recorded("c1", "t", "succeeded", "chaos.pair_again");
  Verdicts none;
  check_crowd({}, {call, recorded("c2", "u")}, none);
  EXPECT_TRUE(none.clean());
  EXPECT_EQ(none[Property::kRunsAtOnce].checked, 1U);
  Verdicts one;
  check_crowd({start("c1")}, {call}, one);
  EXPECT_EQ(one[Property::kRunsAtOnce].violated, 1U);
}

Verdicts looked(const Look& look) {
  Verdicts verdicts;
  check_looks({look}, {recorded("c1", "t")}, verdicts);
  return verdicts;
}

TEST(CheckLooks, FindsAnOutcomeThatChanged) {
  EXPECT_TRUE(
      looked({.user = "u1", .owner = "u1", .call_id = "c1", .status = 200, .outcome = "succeeded"})
          .clean());
  EXPECT_TRUE(looked({.user = "u1", .owner = "u1", .call_id = "c1", .status = 200}).clean())
      << "not completed yet";
  EXPECT_EQ(looked({.user = "u1",
                    .owner = "u1",
                    .call_id = "c1",
                    .status = 200,
                    .outcome = "failed"})[Property::kAgreement]
                .violated,
            1U);
}

TEST(CheckLooks, FindsAReaderOfWhatIsNotTheirs) {
  EXPECT_TRUE(looked({.user = "u2", .owner = "u1", .call_id = "c1", .status = 404}).clean());
  EXPECT_EQ(
      looked({.user = "u2", .owner = "u1", .call_id = "c1", .status = 200})[Property::kPrivacy]
          .violated,
      1U);
  EXPECT_EQ(looked({.user = "u2",
                    .owner = "u1",
                    .call_id = "c1",
                    .status = 403,
                    .owners = "u1"})[Property::kPrivacy]
                .violated,
            1U);
}

}  // namespace
}  // namespace toolway::chaos
