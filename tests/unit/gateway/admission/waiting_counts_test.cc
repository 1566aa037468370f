#include "gateway/admission/waiting_counts.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace toolway::gateway::admission {
namespace {

using Changes = std::vector<std::pair<std::string, std::uint64_t>>;

Changes sorted(Changes changes) {
  std::ranges::sort(changes);
  return changes;
}

TEST(WaitingCounts, CountACallAsLongAsItHasItsPlace) {
  WaitingCounts counts;
  EXPECT_FALSE(counts.changed());
  auto first = std::make_unique<WaitingPlace>(counts, std::vector<std::string>{"a", "b"});
  const WaitingPlace second(counts, {"a"});
  EXPECT_EQ(counts.of("a"), 2U);
  EXPECT_EQ(counts.of("b"), 1U);
  EXPECT_EQ(counts.of("c"), 0U);
  EXPECT_EQ(sorted(counts.take_changed()), (Changes{{"a", 2}, {"b", 1}}));
  EXPECT_FALSE(counts.changed());
  first.reset();
  EXPECT_EQ(sorted(counts.take_changed()), (Changes{{"a", 1}, {"b", 0}})) << "0 is told as well";
  EXPECT_EQ(counts.all().size(), 1U) << "nothing is kept of what is not counted";
}

}  // namespace
}  // namespace toolway::gateway::admission
