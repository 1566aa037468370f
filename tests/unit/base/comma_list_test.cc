#include "base/comma_list.h"

#include <gtest/gtest.h>

namespace toolway {
namespace {

TEST(CommaList, HasNoBlanksAndNoEmptyEntries) {
  EXPECT_EQ(comma_list(" a.example ,10.0.0.0/8,, \t,b c"),
            (std::vector<std::string>{"a.example", "10.0.0.0/8", "b c"}));
  EXPECT_TRUE(comma_list("").empty());
  EXPECT_TRUE(comma_list(",").empty());
}

}  // namespace
}  // namespace toolway
