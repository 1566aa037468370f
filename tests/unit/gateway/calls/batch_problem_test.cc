// Which status a batch gets as a whole.
#include <gtest/gtest.h>

#include "gateway/calls/run_calls.h"

namespace toolway::gateway::calls {
namespace {

std::vector<CallEntry> entries(std::initializer_list<std::optional<ErrorCode>> codes) {
  std::vector<CallEntry> made(codes.size());
  std::size_t i = 0;
  for (const auto& code : codes) {
    if (code) made[i].refused = wire::Problem{.error = Error{*code, "why"}};
    ++i;
  }
  return made;
}

ErrorCode code_of(const wire::Problem* problem) {
  return problem == nullptr ? ErrorCode::kInternal : problem->error.code;
}

TEST(BatchProblem, WhatMayRunAndWhatCouldNotBeTakenComeBeforeAllElse) {
  constexpr auto kAccepted = std::nullopt;
  EXPECT_EQ(nullptr, batch_problem(entries({kAccepted, kAccepted})));
  EXPECT_EQ(nullptr, batch_problem(entries({kAccepted, ErrorCode::kUnknownTool})));
  EXPECT_EQ(nullptr,
            batch_problem(entries({ErrorCode::kUnknownTool, ErrorCode::kInvalidArguments})));
  const auto unknown = entries({kAccepted, ErrorCode::kQueueFull, ErrorCode::kAcceptUnknown});
  EXPECT_EQ(ErrorCode::kAcceptUnknown, code_of(batch_problem(unknown)));
  const auto full = entries({kAccepted, ErrorCode::kTooManyCalls, ErrorCode::kQueueFull});
  EXPECT_EQ(ErrorCode::kQueueFull, code_of(batch_problem(full)));
}

TEST(BatchProblem, SharesThatAreUsedUpCountWhenNothingWasAccepted) {
  const auto none = entries({ErrorCode::kUnknownTool, ErrorCode::kTooManyCalls});
  EXPECT_EQ(ErrorCode::kTooManyCalls, code_of(batch_problem(none)));
  EXPECT_EQ(nullptr, batch_problem(entries({std::nullopt, ErrorCode::kTooManyCalls})));
}

}  // namespace
}  // namespace toolway::gateway::calls
