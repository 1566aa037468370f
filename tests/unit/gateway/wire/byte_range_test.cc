#include "gateway/wire/byte_range.h"

#include <gtest/gtest.h>

#include <string>

namespace toolway::gateway::wire {
namespace {

std::string shown(std::string_view header, std::uint64_t size) {
  const auto range = parse_range(header, size);
  switch (range.kind) {
    case ByteRange::Kind::kWhole: return "whole " + std::to_string(range.size);
    case ByteRange::Kind::kPart:
      return std::to_string(range.first) + "+" + std::to_string(range.size);
    case ByteRange::Kind::kUnsatisfiable: return "none";
  }
  return "";
}

TEST(ByteRange, TakesOneRange) {
  EXPECT_EQ(shown("bytes=0-0", 10), "0+1");
  EXPECT_EQ(shown("bytes=2-5", 10), "2+4");
  EXPECT_EQ(shown("Bytes = 2 - 5", 10), "2+4");
  EXPECT_EQ(shown("bytes=2-", 10), "2+8");
  EXPECT_EQ(shown("bytes=2-99", 10), "2+8");
  EXPECT_EQ(shown("bytes=0-99999999999999999999999", 10), "0+10");
  EXPECT_EQ(shown("bytes=-3", 10), "7+3");
  EXPECT_EQ(shown("bytes=-30", 10), "0+10");
}

TEST(ByteRange, KnowsWhatLiesOutside) {
  EXPECT_EQ(shown("bytes=10-", 10), "none");
  EXPECT_EQ(shown("bytes=10-20", 10), "none");
  EXPECT_EQ(shown("bytes=99999999999999999999999-", 10), "none");
  EXPECT_EQ(shown("bytes=-0", 10), "none");
}

TEST(ByteRange, IgnoresWhatItDoesNotTake) {
  for (const auto* header : {"", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=5-2", "bytes=1",
                             "bytes=0-1,3-4", "items=0-1", "bytes=+1-2", "bytes=1--2"}) {
    EXPECT_EQ(shown(header, 10), "whole 10") << header;
  }
}

TEST(ByteRange, ComparesEtags) {
  EXPECT_TRUE(none_match_names("\"a\"", "\"a\""));
  EXPECT_TRUE(none_match_names("\"b\", W/\"a\"", "\"a\""));
  EXPECT_TRUE(none_match_names("*", "\"a\""));
  EXPECT_FALSE(none_match_names("", "\"a\""));
  EXPECT_FALSE(none_match_names("\"b\",", "\"a\""));
  EXPECT_FALSE(none_match_names("a", "\"a\""));
}

}  // namespace
}  // namespace toolway::gateway::wire
