#include <gtest/gtest.h>

#include "tests/chaos/check_processes.h"

namespace toolway::chaos {
namespace {

TEST(CheckProcesses, FindsACrashAndNoOtherEnd) {
  const auto ended_with = [](int status) {
    const std::vector<UnexpectedEnd> ends{{"chat-0", status, "the end of its log"}};
    Verdicts verdicts;
    check_processes({.deepest = {}, .members = 3, .ends = ends, .odd = {}}, verdicts);
    return verdicts[Property::kNoCrash].violated;
  };
  EXPECT_EQ(ended_with(139), 1U);
  EXPECT_EQ(ended_with(4), 0U);
}

TEST(CheckProcesses, FindsWhatAModelWouldNotTake) {
  Verdicts verdicts;
  check_requests_to_model({{"a call has no result", "{}"}}, {{"tokens of u1 u2", "{}"}}, verdicts);
  EXPECT_EQ(verdicts[Property::kHistory].violated, 1U);
  EXPECT_EQ(verdicts[Property::kPrivacy].violated, 1U);
}

}  // namespace
}  // namespace toolway::chaos
