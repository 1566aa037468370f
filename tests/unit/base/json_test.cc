#include "base/json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/utf8.h"

namespace toolway {
namespace {

TEST(ParseJson, SaysWhereItIsMalformed) {
  const auto broken = parse_json(R"({"a": )");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::kMalformedJson);
  EXPECT_NE(broken.error().message.find("column"), std::string::npos) << broken.error().message;
  EXPECT_EQ(broken.error().message.find("json.exception"), std::string::npos);
  EXPECT_FALSE(parse_json(""));
  EXPECT_FALSE(parse_json("{} {}"));
  EXPECT_FALSE(parse_json("{'a': 1}"));
  EXPECT_FALSE(parse_json("// no\n{}"));
  const auto huge = parse_json("1e999");
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().message, "number overflow parsing '1e999'");
}

TEST(ParseJson, RefusesWhatIsNotUtf8AndLoneSurrogates) {
  EXPECT_FALSE(parse_json("\"\xff\""));
  EXPECT_FALSE(parse_json("\"\xc0\x80\""));
  EXPECT_FALSE(parse_json("\"\xed\xa0\x80\""));
  EXPECT_FALSE(parse_json(R"("\ud800")"));
}

TEST(ParseJson, RefusesDeepNestingWithoutRecursion) {
  EXPECT_TRUE(parse_json(std::string(64, '[') + std::string(64, ']')));
  EXPECT_FALSE(parse_json(std::string(65, '[') + std::string(65, ']')));
  const auto deep = parse_json(std::string(2000000, '['));
  ASSERT_FALSE(deep);
  EXPECT_NE(deep.error().message.find("64"), std::string::npos);
  EXPECT_TRUE(
      parse_json(R"("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[")"));
  EXPECT_TRUE(parse_json(R"(["\"[", "\\", "["])", 1));
}

TEST(ParseJson, KeepsNulCharacters) {
  const auto json = parse_json(R"({"a":"x\u0000y"})");
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["a"].get<std::string>(), std::string("x\0y", 3));
  EXPECT_EQ(to_text(*json), R"({"a":"x\u0000y"})");
}

TEST(ParseJson, TakesTheLastOfAKeyThatComesAgain) {
  const auto json = parse_json(R"({"a":{"b":1},"c":2,"a":[3]})");
  ASSERT_TRUE(json);
  EXPECT_EQ(*json, Json::parse(R"({"a":[3],"c":2})"));
}

TEST(ParseJson, ManyKeysStayCheap) {
  std::string text = "{";
  for (int i = 0; i < 50000; ++i) text += "\"" + std::to_string(i) + "\":0,";
  text += "\"end\":0}";
  const auto json = parse_json(text);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->size(), 50001U);
}

TEST(ToText, NeverThrows) { EXPECT_EQ(to_text(Json("\xff")), "\"\xef\xbf\xbd\""); }

TEST(Utf8, AcceptsExactlyWellFormedText) {
  EXPECT_TRUE(valid_utf8(""));
  EXPECT_TRUE(valid_utf8("\xf4\x8f\xbf\xbf"));
  EXPECT_FALSE(valid_utf8("\xf4\x90\x80\x80"));
  EXPECT_FALSE(valid_utf8("\xe2\x82"));
  EXPECT_FALSE(valid_utf8("\x80"));
  EXPECT_FALSE(valid_utf8("\xc1\xbf"));
  EXPECT_FALSE(valid_utf8("\xe0\x9f\xbf"));
}

TEST(ParseOrderedJson, ReadsWhatTheLibraryReadsHoweverManyKeysAnObjectHas) {
  for (const int keys : {0, 1, 31, 32, 33, 34, 500}) {
    for (const int again : {0, 5, 32, 40}) {
      std::string text = "[{\"inner\": {";
      const auto add = [&](int key, int value) {
        text += fmt::format(R"({}"k{}":{{"v":{}}})", text.back() == '{' ? "" : ",", key, value);
      };
      for (int i = 0; i < keys; ++i) add(i * 7919 % 1009, i);
      for (int i = 0; i < again && i < keys; ++i) add(i * 7919 % 1009, -i);
      text += "}}, {\"k0\": 1}]";
      const auto read = parse_ordered_json(text);
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(read->dump(), OrderedJson::parse(text).dump()) << keys << " " << again;
    }
  }
  std::string wide = "{";
  for (int i = 0; i < 200'000; ++i) wide += fmt::format("\"k{}\":0,", i);
  const auto read = parse_ordered_json(wide + "\"last\":{\"a\":1}}");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->size(), 200'001U);
  for (const auto* text : {"", "{", "[1,]", "{\"a\"}", "{} x", "\"\xff\"", "1e400", "[1]]"}) {
    const auto plain = parse_json(text);
    const auto ordered = parse_ordered_json(text);
    ASSERT_FALSE(ordered) << text;
    EXPECT_EQ(ordered.error().message, plain.error().message) << text;
  }
  EXPECT_FALSE(parse_ordered_json(std::string(2'000'000, '[')));
}

}  // namespace
}  // namespace toolway
