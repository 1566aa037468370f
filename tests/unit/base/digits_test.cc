#include "base/digits.h"

#include <gtest/gtest.h>

namespace toolway {
namespace {

TEST(Digits, AreDecimalDigitsAndNothingElse) {
  for (const char* text : {"0", "007", "9876543210", "99999999999999999999999"})
    EXPECT_TRUE(is_digits(text)) << text;
  for (const char* text : {"", " 1", "1 ", "+1", "-1", "1.0", "0x1", "1a", "/", ":", "\u0661"})
    EXPECT_FALSE(is_digits(text)) << text;
}

TEST(Digits, TooManyAreTheLargestNumber) {
  EXPECT_EQ(parse_saturated("0"), 0U);
  EXPECT_EQ(parse_saturated("0042"), 42U);
  EXPECT_EQ(parse_saturated("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_saturated("18446744073709551616"), UINT64_MAX);
  EXPECT_EQ(parse_saturated(std::string(400, '9')), UINT64_MAX);
  for (const char* text : {"", "-1", "+1", "1 "}) EXPECT_FALSE(parse_saturated(text)) << text;
}

}  // namespace
}  // namespace toolway
