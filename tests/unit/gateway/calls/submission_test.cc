#include "gateway/calls/submission.h"

#include <gtest/gtest.h>

namespace toolway::gateway::calls {
namespace {

using Kind = SubmitStep::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr MonotonicTime kBegun{seconds(100)};
constexpr MonotonicTime kDeadline = kBegun + seconds(5);

Result<bus::PubAck> no_answer() { return fail(ErrorCode::kTimeout, "no answer"); }
Result<bus::PubAck> not_sent() { return fail(ErrorCode::kBusUnavailable, "not connected"); }

TEST(Submission, IsAcceptedWithTheSequenceOfItsCall) {
  Submission submission(kDeadline);
  EXPECT_EQ(submission.begin().kind, Kind::kPublish);
  const auto step = submission.answered(bus::PubAck{.sequence = 7}, kBegun);
  EXPECT_EQ(step.kind, Kind::kAccepted);
  EXPECT_EQ(step.sequence, 7U);
}

TEST(Submission, IsRefusedForWhatTheBusSaysWhileNothingWasSent) {
  Submission submission(kDeadline);
  const auto step = submission.answered(not_sent(), kBegun);
  EXPECT_EQ(step.kind, Kind::kRefused);
  ASSERT_TRUE(step.error);
  EXPECT_EQ(step.error->code, ErrorCode::kBusUnavailable);
  EXPECT_EQ(step.error->message, "not connected");
}

TEST(Submission, PublishesAgainUntilItIsAnswered) {
  Submission submission(kDeadline);
  for (int i = 0; i < 3; ++i) {
    const auto step = submission.answered(no_answer(), kBegun + seconds(i));
    EXPECT_EQ(step.kind, Kind::kPause);
    EXPECT_EQ(step.delay, Submission::kRetryDelay);
    EXPECT_EQ(submission.resumed(kBegun + seconds(i)).kind, Kind::kPublish);
  }
  EXPECT_EQ(submission.answered(bus::PubAck{.sequence = 9}, kDeadline + seconds(1)).kind,
            Kind::kAccepted);
}

TEST(Submission, IsNeverRefusedOnceItMayHaveBeenStored) {
  Submission submission(kDeadline);
  EXPECT_EQ(submission.answered(no_answer(), kBegun).kind, Kind::kPause);
  EXPECT_EQ(submission.answered(not_sent(), kBegun + seconds(1)).kind, Kind::kPause);
  EXPECT_EQ(submission.answered(not_sent(), kDeadline).kind, Kind::kUnknown);
}

TEST(Submission, EndsAtItsDeadline) {
  Submission before(kDeadline);
  EXPECT_EQ(before.answered(no_answer(), kDeadline - milliseconds(1)).kind, Kind::kPause);
  Submission at(kDeadline);
  EXPECT_EQ(at.answered(no_answer(), kDeadline).kind, Kind::kUnknown);
}

TEST(Submission, OfAGatewayThatSleptIsNotPublishedAfterItsDeadline) {
  Submission submission(kDeadline);
  EXPECT_EQ(submission.answered(no_answer(), kBegun).kind, Kind::kPause);
  EXPECT_EQ(submission.resumed(kDeadline).kind, Kind::kUnknown);
}

TEST(Submission, OfAGatewayThatEndsIsNotRepeated) {
  Submission submission(kDeadline);
  EXPECT_EQ(submission.answered(no_answer(), kBegun).kind, Kind::kPause);
  EXPECT_EQ(submission.answered(fail(ErrorCode::kShuttingDown, "ends"), kBegun).kind,
            Kind::kUnknown);
}

TEST(Submission, OfAGatewayThatEndsBeforeItWasSentIsRefused) {
  Submission submission(kDeadline);
  EXPECT_EQ(submission.answered(fail(ErrorCode::kShuttingDown, "ends"), kBegun).kind,
            Kind::kRefused);
}

}  // namespace
}  // namespace toolway::gateway::calls
