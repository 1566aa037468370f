#include "tools/schema/pattern_syntax.h"

#include <gtest/gtest.h>

#include <utility>

namespace toolway::tools::schema {
namespace {

std::string translated(std::string_view pattern) {
  const auto made = to_re2_syntax(pattern);
  return made ? *made : "refused: " + made.error();
}

TEST(PatternSyntax, WritesCharactersThatNothingTakesForSyntax) {
  EXPECT_EQ(translated(""), "");
  EXPECT_EQ(translated("abc1"), "abc1");
  EXPECT_EQ(translated("a-_"), R"(a\x{2d}\x{5f})");
  EXPECT_EQ(translated("\u00e4\u20ac\U0001F600"), R"(\x{e4}\x{20ac}\x{1f600})");
  EXPECT_EQ(translated(R"(\/\.\x41\u0042\u{43}\uD83D\uDE00)"), R"(\x{2f}\x{2e}ABC\x{1f600})");
}

TEST(PatternSyntax, KeepsWhatMeansTheSame) {
  EXPECT_EQ(translated("^a|b*c+d?$"), "^a|b*c+d?$");
  EXPECT_EQ(translated("a{2}b{2,}c{2,5}"), "a{2}b{2,}c{2,5}");
  EXPECT_EQ(translated(R"(\ba\B)"), R"(\ba\B)");
  EXPECT_EQ(translated(R"(\d\W)"), R"([\d][\W])");
}

TEST(PatternSyntax, ABraceThatCountsNothingIsACharacter) {
  EXPECT_EQ(translated("a{x}"), R"(a\x{7b}x\x{7d})");
  EXPECT_EQ(translated("{,3}"), R"(\x{7b}\x{2c}3\x{7d})");
}

TEST(PatternSyntax, AGroupOnlyGroups) {
  EXPECT_EQ(translated("(a)(?:b)(?<name>c)"), "(?:a)(?:b)(?:c)");
}

TEST(PatternSyntax, ADotEndsAtEachEndOfALineOfEcmaScript) {
  EXPECT_EQ(translated("."), R"([^\n\r\x{2028}\x{2029}])");
}

TEST(PatternSyntax, ReadsClasses) {
  EXPECT_EQ(translated("[a-c_]"), R"([a-c\x{5f}])");
  EXPECT_EQ(translated("[^a]"), "[^a]");
  EXPECT_EQ(translated("[a-]"), R"([a\x{2d}])");
  EXPECT_EQ(translated(R"([a-\d])"), R"([a\x{2d}\d])");
  EXPECT_EQ(translated("[]"), R"([^\x{0}-\x{10ffff}])") << "nothing";
  EXPECT_EQ(translated("[^]"), R"([\x{0}-\x{10ffff}])") << "anything";
}

TEST(PatternSyntax, KnowsCategoriesByTheirLongNames) {
  EXPECT_EQ(translated(R"(\p{Letter}\P{General_Category=Lu})"), R"([\p{L}][\P{Lu}])");
  EXPECT_EQ(translated(R"([\p{Script=Greek}])"), R"([\p{Greek}])");
}

TEST(PatternSyntax, SaysWhatItCannotExpressAndWhere) {
  for (const auto& [pattern, why] :
       {std::pair("a(?=b)", "it looks ahead"), std::pair("(?!b)", "it looks ahead"),
        std::pair("(?<=b)", "it looks behind"), std::pair("(?<!b)", "it looks behind"),
        std::pair(R"((a)\1)", "it has a backreference"),
        std::pair(R"(\k<a>)", "it has a backreference"),
        std::pair("(?i)a", "ECMA-262 has no such group"),
        std::pair("(?<a", "the name of a group is not closed"),
        std::pair("[a", "a character class is not closed"),
        std::pair("[c-a]", "a range in a character class ends before it begins"),
        std::pair(R"(\01)", "ECMA-262 has no octal escapes"),
        std::pair(R"(\a)", "ECMA-262 has no escape \\a"),
        std::pair(R"(\x4)", "\\x must be followed by 2 hexadecimal digits"),
        std::pair(R"(\uD83D)", "it has half of a surrogate pair"),
        std::pair(R"(\u{110000})", "\\u{…} is not a code point"),
        std::pair(R"(\c1)", "\\c must be followed by a letter"),
        std::pair(R"(\pL)", "\\p must be followed by a property"),
        std::pair("\\", "it ends with a backslash")}) {
    EXPECT_TRUE(translated(pattern).starts_with(std::string("refused: ") + why))
        << pattern << ": " << translated(pattern);
  }
  EXPECT_TRUE(translated("ab(?=c)").ends_with(", at byte 2"));
}

}  // namespace
}  // namespace toolway::tools::schema
