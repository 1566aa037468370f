#include "tools/schema/pattern.h"

#include <gtest/gtest.h>

namespace toolway::tools::schema {
namespace {

bool matches(std::string_view pattern, std::string_view text) {
  const auto made = Pattern::create(pattern);
  EXPECT_TRUE(made) << pattern << ": " << (made ? "" : made.error());
  return made && made->found_in(text);
}

std::string refused(std::string_view pattern) {
  const auto made = Pattern::create(pattern);
  return made ? "taken" : made.error();
}

TEST(Pattern, MatchesAnywhereUnlessAnchored) {
  EXPECT_TRUE(matches("b", "abc"));
  EXPECT_FALSE(matches("^b", "abc"));
  EXPECT_TRUE(matches("^a|c$", "xc"));
  EXPECT_FALSE(matches("^a$", "a\n"));  // unlike Perl's
  EXPECT_TRUE(matches("", "anything"));
}

TEST(Pattern, ReadsEscapesAsEcmaScriptDoes) {
  EXPECT_TRUE(matches(R"(^\d+\/\d+$)", "12/345"));
  EXPECT_FALSE(matches(R"(^\d$)", "\u0663"));  // ASCII digits only
  EXPECT_TRUE(matches(R"(^\w\W$)", "_-"));
  EXPECT_TRUE(matches(R"(^\cC\cj$)", "\x03\n"));
  EXPECT_TRUE(matches(R"(^\x41\u0042\u{43}$)", "ABC"));
  EXPECT_TRUE(matches(R"(^\uD83D\uDE00$)", "😀"));
  EXPECT_TRUE(matches(R"(^\t\n\v\f\r\0$)", std::string_view("\t\n\v\f\r\0", 6)));
  EXPECT_TRUE(matches(R"(^\-\_\.\*\]\}\"\@$)", "-_.*]}\"@"));
  EXPECT_TRUE(matches(R"(\bword\b)", "a word."));
  EXPECT_TRUE(matches(R"(^a\Bb$)", "ab"));
}

TEST(Pattern, TakesTheWhiteSpaceOfEcmaScript) {
  EXPECT_TRUE(matches(R"(^\s+$)", " \t\v\f\u00a0\u2003\u2028\ufeff"));
  EXPECT_FALSE(matches(R"(\S)", " \t\v\f\u00a0\u2003\u2028\ufeff"));
  EXPECT_TRUE(matches(R"(^[\s,]+$)", " ,\v"));
  EXPECT_TRUE(matches(R"(^[\S]+$)", "aä€😀"));
  EXPECT_FALSE(matches(R"([\S])", " \v\u2003"));
}

TEST(Pattern, ADotIsAnythingButTheEndOfALine) {
  EXPECT_TRUE(matches("^.$", "😀"));
  EXPECT_FALSE(matches("^.$", "\r"));
  EXPECT_FALSE(matches("^.$", "\u2028"));
  EXPECT_TRUE(matches(R"(^[^]$)", "\n"));
  EXPECT_FALSE(matches("[]", "a"));
}

TEST(Pattern, ReadsClassesAsEcmaScriptDoes) {
  EXPECT_TRUE(matches(R"(^[a-c[:alpha:]]$)", "a]"));  // a class of `[:alph`, then a bracket
  EXPECT_TRUE(matches(R"(^[\w.-]+$)", "a.b-c"));
  EXPECT_TRUE(matches(R"(^[\d-x]+$)", "1-x"));
  EXPECT_TRUE(matches(R"(^[a-\d]+$)", "a-1"));
  EXPECT_TRUE(matches(R"(^[\b]$)", "\b"));
  EXPECT_TRUE(matches(R"(^[^\]\\-]+$)", "ab"));
  EXPECT_TRUE(matches("^[ä-ü]$", "ö"));
  EXPECT_TRUE(matches(R"(^[\u00e4-\u{fc}]$)", "ö"));
}

TEST(Pattern, KnowsUnicodesProperties) {
  EXPECT_TRUE(matches(R"(^\p{Letter}+$)", "aäЖ"));
  EXPECT_TRUE(matches(R"(^\p{Lu}\P{Lu}$)", "Ää"));
  EXPECT_TRUE(matches(R"(^[\p{Script=Greek}\p{digit}]+$)", "αβ1"));
  EXPECT_NE(refused(R"(\p{Emoji})"), "taken");
}

TEST(Pattern, ReadsGroupsAndRepetitions) {
  EXPECT_TRUE(matches(R"(^(?<year>\d{4})-(?:\d\d)$)", "2026-11"));
  EXPECT_TRUE(matches(R"(^a{2,3}?b{1,}$)", "aab"));
  EXPECT_TRUE(matches("^a{,2}$", "a{,2}"));
  EXPECT_TRUE(matches("^{x}$", "{x}"));
}

TEST(Pattern, RefusesWithTheReasonWhatItCannotMatch) {
  EXPECT_NE(refused(R"((a)\1)").find("backreference"), std::string::npos);
  EXPECT_NE(refused(R"((?<x>a)\k<x>)").find("backreference"), std::string::npos);
  EXPECT_NE(refused("a(?=b)").find("looks ahead"), std::string::npos);
  EXPECT_NE(refused("^(?!x)").find("looks ahead"), std::string::npos);
  EXPECT_NE(refused("(?<=a)b").find("looks behind"), std::string::npos);
  EXPECT_NE(refused("(?<!a)b").find("looks behind"), std::string::npos);
  EXPECT_NE(refused(R"(\Aabc\z)").find("no escape \\A"), std::string::npos);
  EXPECT_NE(refused(R"(\a)").find("no escape \\a"), std::string::npos);
  EXPECT_NE(refused("(?i)abc").find("no such group"), std::string::npos);
  EXPECT_NE(refused("a{1001}").find("{1001}"), std::string::npos);  // RE2's bound is 1,000
  EXPECT_NE(refused("((a{100}){100}){100}"), "taken");
  EXPECT_NE(refused("("), "taken");
  EXPECT_NE(refused(")"), "taken");
  EXPECT_NE(refused("[b-a]").find("range"), std::string::npos);
  EXPECT_NE(refused("[a").find("is not closed"), std::string::npos);
  EXPECT_NE(refused("\\"), "taken");
  EXPECT_NE(refused("*a"), "taken");
  EXPECT_NE(refused(R"(\u{110000})"), "taken");
  EXPECT_NE(refused(R"(\ud800)").find("surrogate"), std::string::npos);
}

}  // namespace
}  // namespace toolway::tools::schema
