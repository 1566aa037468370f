#include "bus/subject_filter.h"

#include <gtest/gtest.h>

namespace toolway::bus {
namespace {

TEST(SubjectFilter, MatchesAsNatsDoes) {
  EXPECT_TRUE(subject_matches("a.b", "a.b"));
  EXPECT_TRUE(subject_matches("a.*", "a.b"));
  EXPECT_TRUE(subject_matches("a.>", "a.b.c"));
  EXPECT_TRUE(subject_matches("*.b", "a.b"));
  EXPECT_FALSE(subject_matches("a.>", "a"));
  EXPECT_FALSE(subject_matches("a.*", "a.b.c"));
  EXPECT_FALSE(subject_matches("a.b", "a.c"));
  EXPECT_FALSE(subject_matches("a.b.c", "a.b"));
  EXPECT_FALSE(subject_matches("a.b", "a.b.c"));
}

}  // namespace
}  // namespace toolway::bus
