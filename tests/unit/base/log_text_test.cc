#include "base/log_text.h"

#include <gtest/gtest.h>

namespace toolway {
namespace {

/// What a line of a log may not be made to look like: each of these stays one line, and what it
/// hides can be seen.
struct Injection {
  const char* name;
  std::string text;
  std::string shown;
};

const std::vector<Injection>& injections() {
  static const std::vector<Injection> all{
      {"NewLine", "a\nb", "a\\nb"},
      {"ForgedLine", "x\n2026-11-22T07:31:26.205Z info    gateway: all is well",
       "x\\n2026-11-22T07:31:26.205Z info    gateway: all is well"},
      {"CarriageReturn", "bad\rgood", "bad\\u000dgood"},
      {"CrLf", "a\r\nb", "a\\u000d\\nb"},
      {"Colour", "\x1b[31mred", "\\u001b[31mred"},
      {"ClearsTheScreen", "\x1b[2J", "\\u001b[2J"},
      {"SetsTheTitle", "\x1b]0;owned\x07", "\\u001b]0;owned\\u0007"},
      {"HyperLink", "\x1b]8;;http://x\x1b\\", "\\u001b]8;;http://x\\u001b\\"},
      {"Backspaces", "evil\b\b\b\bgood", "evil\\u0008\\u0008\\u0008\\u0008good"},
      {"Nul", std::string("a\0b", 3), "a\\u0000b"},
      {"Delete",
       "a\x7f"
       "b",
       "a\\u007fb"},
      {"VerticalTab", "a\vb", "a\\u000bb"},
      {"FormFeed", "a\fb", "a\\u000cb"},
      {"C1ControlSequence",
       "\xc2\x9b"
       "31m",
       "\\u009b31m"},
      {"C1NextLine",
       "a\xc2\x85"
       "b",
       "a\\u0085b"},
      {"LineSeparator",
       "a\xe2\x80\xa8"
       "b",
       "a\\u2028b"},
      {"ParagraphSeparator",
       "a\xe2\x80\xa9"
       "b",
       "a\\u2029b"},
      {"RightToLeft",
       "abc\xe2\x80\xae"
       "gpj.exe",
       "abc\\u202egpj.exe"},
      {"Isolates",
       "\xe2\x81\xa6"
       "a\xe2\x81\xa9",
       "\\u2066a\\u2069"},
      {"ZeroWidth", "ad\xe2\x80\x8bmin", "ad\\u200bmin"},
      {"ByteOrderMark",
       "\xef\xbb\xbf"
       "a",
       "\\ufeffa"},
      {"NotUtf8", "a\xff\n", "a\xef\xbf\xbd\\n"},
      {"OverlongNewLine",
       "a\xc0\x8a"
       "b",
       "a\xef\xbf\xbd\xef\xbf\xbd"
       "b"},
      {"HalfASurrogate", "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
  };
  return all;
}

class LogInjection : public testing::TestWithParam<Injection> {};

TEST_P(LogInjection, StaysOneLineOfText) { EXPECT_EQ(log_text(GetParam().text), GetParam().shown); }

TEST_P(LogInjection, StaysOneLineOfJson) {
  const auto& text = GetParam().text;
  const auto line =
      log_json("t", "info", "gateway", {{"message", text}, {text, OrderedJson{{"in", {text}}}}});
  for (const char c : line) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << line;
  const auto read = OrderedJson::parse(line, nullptr, false);
  ASSERT_FALSE(read.is_discarded()) << line;
  EXPECT_EQ(read["message"], GetParam().shown);
  EXPECT_EQ(read[GetParam().shown]["in"][0], GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(All, LogInjection, testing::ValuesIn(injections()),
                         [](const auto& info) { return info.param.name; });

TEST(LogText, IsLeftAsItIsOtherwise) {
  for (const char* text : {"", "plain", "\"quoted\" \\ back", "Grüße, 世界 🎉"})
    EXPECT_EQ(log_text(text), text);
}

// What breaks JSON when it is put together by hand.
TEST(LogJson, QuotesAndBracesStayInsideTheirValue) {
  const std::string breaks = R"(", "level": "debug", "user": "root"})";
  const auto line = log_json("t", "warn", "worker", {{"user", breaks}});
  const auto read = OrderedJson::parse(line);
  EXPECT_EQ(read["user"], breaks);
  EXPECT_EQ(read["level"], "warn");
  EXPECT_EQ(read.size(), 4U);
}

TEST(LogJson, AFieldCannotTakeThePlaceOfTheTime) {
  const auto read = OrderedJson::parse(log_json("now", "warn", "worker", {{"n", 1}}));
  EXPECT_EQ(read.dump(), R"({"time":"now","level":"warn","process":"worker","n":1})");
}

}  // namespace
}  // namespace toolway
