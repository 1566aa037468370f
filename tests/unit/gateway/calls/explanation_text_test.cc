#include "gateway/calls/explanation_text.h"

#include <gtest/gtest.h>

namespace toolway::gateway::calls {
namespace {

v1::Completed ended(v1::Outcome outcome, std::string code = {}, std::string message = {}) {
  v1::Completed completed;
  completed.set_outcome(outcome);
  completed.mutable_error()->set_code(std::move(code));
  completed.mutable_error()->set_message(std::move(message));
  return completed;
}

TEST(ExplanationText, ASpanIsInTheUnitThatAReaderWouldTake) {
  EXPECT_EQ(span_text(1'500'000), "1.5 s");
  EXPECT_EQ(span_text(-1'500'000), "1.5 s");
  EXPECT_EQ(span_text(119'900'000), "119.9 s");
  EXPECT_EQ(span_text(180'000'000), "3 min");
  EXPECT_EQ(span_text(9'000'000'000), "2.5 h");
}

TEST(ExplanationText, AnErrorWithoutWordsIsItsCode) {
  EXPECT_EQ(error_text(ended(v1::OUTCOME_FAILED, "flaky").error()), "flaky");
  EXPECT_EQ(error_text(ended(v1::OUTCOME_FAILED, "flaky", "not now").error()), "flaky: not now");
}

TEST(ExplanationText, ACancellationIsNotSaidTwice) {
  EXPECT_EQ(outcome_text(ended(v1::OUTCOME_CANCELLED)), "It was cancelled.");
  EXPECT_EQ(outcome_text(ended(v1::OUTCOME_CANCELLED, "cancelled", "it was cancelled: late")),
            "It was cancelled: late.");
  EXPECT_EQ(outcome_text(ended(v1::OUTCOME_CANCELLED, "cancelled", "late")),
            "It was cancelled: late.");
}

TEST(ExplanationText, EachOutcomeHasItsWords) {
  EXPECT_EQ(outcome_text(ended(v1::OUTCOME_SUCCEEDED)), "The tool returned a result.");
  EXPECT_EQ(outcome_text(ended(v1::OUTCOME_TIMED_OUT, "run_limit_exceeded")),
            "One of its limits expired: run_limit_exceeded.");
  EXPECT_EQ(outcome_text(v1::Completed()), "It has ended.");
}

}  // namespace
}  // namespace toolway::gateway::calls
