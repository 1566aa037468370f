#include "base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace toolway {
namespace {

TEST(Text, IsTrimmedAtBothEnds) {
  EXPECT_EQ(trimmed(" \ta b\t "), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \t"), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed(" a\r\n"), "a\r\n");
  EXPECT_EQ(trimmed(" a\r\n", " \t\r\n"), "a");
}

TEST(Text, CaseIsThatOfAscii) {
  EXPECT_EQ(lowered("AZaz[@\xc3\x84"), "azaz[@\xc3\x84");
  EXPECT_TRUE(same_word("Content-TYPE", "content-type"));
  EXPECT_FALSE(same_word("a", "ab"));
  EXPECT_FALSE(same_word("[", "{"));
}

TEST(Text, KnowsTokensOfHttp) {
  EXPECT_TRUE(is_http_token("X-a_1~"));
  for (const char* wrong : {"", "a b", "a:", "\xc3\xa4", "(a)"}) EXPECT_FALSE(is_http_token(wrong));
}

TEST(Text, WritesBytesInHexadecimal) {
  std::string text = "x";
  append_hex(text, std::array<unsigned char, 3>{0x00, 0x1f, 0xff});
  EXPECT_EQ(text, "x001fff");
  EXPECT_EQ(hex_digit('9'), 9U);
  EXPECT_EQ(hex_digit('a'), 10U);
  EXPECT_EQ(hex_digit('F'), 15U);
  EXPECT_FALSE(hex_digit('g'));
}

TEST(Text, PercentEncodingComesBack) {
  EXPECT_EQ(percent_encoded("aZ9-._~/ \xff"), "aZ9-._~%2F%20%FF");
  EXPECT_EQ(percent_decoded("a%20b%2f%FF"), "a b/\xff");
  EXPECT_EQ(percent_decoded("+"), "+");
  for (const char* bad : {"%", "%2", "%zz", "%-1", "a%2"})
    EXPECT_FALSE(percent_decoded(bad)) << bad;
}

TEST(Text, ANumberIsAllOfIt) {
  std::uint8_t small = 0;
  EXPECT_TRUE(parse_number("255", small));
  EXPECT_EQ(small, 255);
  for (const char* wrong : {"", "256", "-1", "+1", " 1", "1 ", "1.5", "0x1"})
    EXPECT_FALSE(parse_number(wrong, small)) << wrong;
  double real = 0;
  EXPECT_TRUE(parse_number("-1.5", real));
  EXPECT_EQ(real, -1.5);
}

}  // namespace
}  // namespace toolway
