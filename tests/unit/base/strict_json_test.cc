#include "base/strict_json.h"

#include <gtest/gtest.h>

namespace toolway {
namespace {

std::string refusal(std::string_view text) {
  const auto parsed = parse_strict_json(text);
  if (parsed) return {};
  EXPECT_EQ(parsed.error().code, ErrorCode::kMalformedJson);
  return parsed.error().message;
}

TEST(StrictJson, ReadsWhatTheOtherReaderReads) {
  for (const auto* text :
       {"null", "true", "-1", "18446744073709551615", "1.5e3", "\"a\\u0000\\n\"", "[]", "{}",
        "[[],{},[1,[2]]]", R"({"a":{"b":[{"c":1},{"c":2}]},"d":null,"":""})", " [1 , 2 ] ",
        "\xEF\xBB\xBF{}"}) {
    const auto strict = parse_strict_json(text);
    ASSERT_TRUE(strict) << text << strict.error().message;
    EXPECT_EQ(*strict, *parse_json(text)) << text;
  }
  for (const auto* text : {"", "{", "[1,]", "{\"a\"}", "{} x", "nul", "\"\xff\"", "1e400", "NaN",
                           "[1]]", "'a'", "// x\n1"}) {
    const auto plain = parse_json(text);
    ASSERT_FALSE(plain);
    EXPECT_EQ(refusal(text), plain.error().message) << text;
  }
  EXPECT_TRUE(parse_strict_json(std::string(64, '[') + std::string(64, ']')));
  EXPECT_EQ(refusal(std::string(65, '[') + std::string(65, ']')),
            "JSON is nested more than 64 levels deep");
}

TEST(StrictJson, NamesAKeyThatIsThereTwice) {
  EXPECT_EQ(refusal(R"({"tool":"a","tool":"b"})"), "the key \"tool\" appears twice");
  EXPECT_EQ(refusal(R"({"a":1,"\u0061":1})"), "the key \"a\" appears twice")
      << "however it is written";
  EXPECT_EQ(refusal(R"({"calls":[{},{"arguments":{"x":{"k":5,"y":[],"k":"second"}}}]})"),
            "the key \"k\" appears twice in /calls/1/arguments/x");
  EXPECT_EQ(refusal(R"({"":1,"":1})"), "the key \"\" appears twice");
  EXPECT_TRUE(parse_strict_json(R"([{"a":1},{"a":1,"b":{"a":1}}])"));
}

TEST(StrictJson, ANulEndsNothing) {
  const std::string_view text("{}\0garbage", 10);
  EXPECT_EQ(refusal(text), "a NUL byte at offset 2");
  EXPECT_FALSE(parse_json(text));
  EXPECT_FALSE(parse_ordered_json(text));
}

}  // namespace
}  // namespace toolway
