#include "workers/call/peer.h"

#include <gtest/gtest.h>

namespace toolway::workers::call {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kSettle{3000};

PeerFacts facts(PeerSays says) {
  return {.says = says, .asked = 1, .steady_for = seconds(60), .last_event_age = seconds(5)};
}

TEST(TakingOver, LeavesACallToAWorkerThatHoldsIt) {
  auto holds = facts(PeerSays::kHolds);
  holds.last_event_age = seconds(3600);
  EXPECT_EQ(take_over(holds, kSettle), TakeOver::kLeave);
}

TEST(TakingOver, TakesWhatItsWorkerHasGivenUp) {
  auto given_up = facts(PeerSays::kDoesNotHold);
  given_up.steady_for = seconds(0);
  EXPECT_EQ(take_over(given_up, kSettle), TakeOver::kNow);
}

TEST(TakingOver, TakesWhatAWorkerHadThatIsGone) {
  EXPECT_EQ(take_over(facts(PeerSays::kNotThere), kSettle), TakeOver::kNow);
}

TEST(TakingOver, AsksAWorkerThatDoesNotAnswerThreeTimes) {
  auto silent = facts(PeerSays::kSilent);
  EXPECT_EQ(take_over(silent, kSettle), TakeOver::kAskAgain);
  silent.asked = 2;
  EXPECT_EQ(take_over(silent, kSettle), TakeOver::kAskAgain);
  silent.asked = 3;
  EXPECT_EQ(take_over(silent, kSettle), TakeOver::kNow);
}

TEST(TakingOver, WaitsUntilTheOtherWorkerHasHadTimeToComeBack) {
  auto gone = facts(PeerSays::kNotThere);
  gone.steady_for = milliseconds(2999);
  EXPECT_EQ(take_over(gone, kSettle), TakeOver::kLeave);
  gone.steady_for = kSettle;
  EXPECT_EQ(take_over(gone, kSettle), TakeOver::kNow);
  auto silent = facts(PeerSays::kSilent);
  silent.asked = 3;
  silent.steady_for = seconds(0);
  EXPECT_EQ(take_over(silent, kSettle), TakeOver::kLeave);
}

TEST(TakingOver, DoesNotWaitForEverForABusThatIsNeverSteady) {
  auto gone = facts(PeerSays::kNotThere);
  gone.steady_for = seconds(0);
  gone.last_event_age = seconds(30);
  EXPECT_EQ(take_over(gone, kSettle), TakeOver::kNow);
}

TEST(TheBus, IsSteadySinceItsLastGap) {
  const MonotonicTime begin{};
  BusSteadiness steadiness(begin);
  EXPECT_EQ(steadiness.steady_for(begin), seconds(0))
      << "a new worker has not seen what was before";
  for (int i = 1; i <= 10; ++i) steadiness.answered(begin + seconds(i));
  EXPECT_EQ(steadiness.steady_for(begin + seconds(10)), seconds(10));
  EXPECT_EQ(steadiness.steady_for(begin + seconds(13)), seconds(0)) << "it does not answer now";
  steadiness.answered(begin + seconds(20));  // it was frozen
  EXPECT_EQ(steadiness.steady_for(begin + seconds(20)), seconds(0));
  steadiness.answered(begin + seconds(21));
  EXPECT_EQ(steadiness.steady_for(begin + seconds(22)), seconds(2));
  steadiness.connected(begin + seconds(22));
  EXPECT_EQ(steadiness.steady_for(begin + seconds(23)), seconds(1));
}

}  // namespace
}  // namespace toolway::workers::call
