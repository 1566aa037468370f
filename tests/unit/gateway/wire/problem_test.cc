#include "gateway/wire/problem.h"

#include <gtest/gtest.h>

#include "base/try.h"

namespace toolway::gateway::wire {
namespace {

Result<int> number(bool known) {
  if (!known)
    return tl::unexpected(Error{ErrorCode::kTimeout, "no answer", std::chrono::seconds(2)});
  return 5;
}

HttpResult<std::string> answer(bool known) {
  ASSIGN_OR_RETURN(const auto value, number(known));
  return std::to_string(value);
}

TEST(Problem, IsMadeOfAnErrorByItself) {
  EXPECT_EQ(answer(true), "5");
  const auto refused = answer(false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error.code, ErrorCode::kTimeout);
  EXPECT_EQ(refused.error().error.message, "no answer");
  EXPECT_EQ(refused.error().error.retry_after, std::chrono::seconds(2));
  EXPECT_EQ(status_of(refused.error()), 503U);
}

TEST(Problem, OfAConflictSaysWhenToTryAgainOnlyWhereThatHelps) {
  const auto after = [](Error error) {
    return retry_after_seconds(Problem{.error = std::move(error)});
  };
  for (const auto code :
       {ErrorCode::kApprovalDecided, ErrorCode::kApprovalExpired, ErrorCode::kApprovalStale,
        ErrorCode::kNoResult, ErrorCode::kSessionConflict, ErrorCode::kCallNotCompleted})
    EXPECT_FALSE(after({code, "", {}})) << code_name(code);
  EXPECT_EQ(after({ErrorCode::kConversationBusy, "", {}}), 1U);
  EXPECT_EQ(after({ErrorCode::kRequestInFlight, "", {}}), 1U);
  EXPECT_EQ(after({ErrorCode::kNotAsked, "", std::chrono::seconds(3)}), 3U);
  EXPECT_EQ(after({ErrorCode::kRateLimited, "", {}}), 1U);
  EXPECT_EQ(after({ErrorCode::kOverloaded, "", {}}), 1U);
}

}  // namespace
}  // namespace toolway::gateway::wire
