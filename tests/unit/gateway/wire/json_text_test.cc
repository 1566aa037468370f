#include "gateway/wire/json_text.h"

#include <gtest/gtest.h>

namespace toolway::gateway::wire {
namespace {

std::string text_of(std::int64_t us) { return time_text(from_unix_us(us)); }

TEST(JsonText, WritesTimesOfRfc3339) {
  EXPECT_EQ(text_of(0), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(text_of(1'709'251'199'000'042), "2024-02-29T23:59:59.000042Z");
  EXPECT_EQ(text_of(1'795'392'000'123'456), "2026-11-23T00:00:00.123456Z");
  EXPECT_EQ(text_of(-1), "1969-12-31T23:59:59.999999Z");
}

TEST(JsonText, WritesNoYearThatRfc3339DoesNotHave) {
  EXPECT_EQ(text_of(253'402'300'799'999'999), "9999-12-31T23:59:59.999999Z");
  EXPECT_EQ(text_of(253'402'300'800'000'000), "9999-01-01T00:00:00.000000Z");
  EXPECT_EQ(text_of(-62'167'219'200'000'001), "0000-12-31T23:59:59.999999Z");
}

TEST(JsonText, EscapesWhatAStringMustNotHold) {
  std::string out;
  append_string(out, std::string_view("a\"b\\c\n\r\t\x01\x1f\0d\x7f\xc3\xa9", 15));
  EXPECT_EQ(out, "\"a\\\"b\\\\c\\n\\r\\t\\u0001\\u001f\\u0000d\x7f\xc3\xa9\"");
}

TEST(JsonText, PutsJsonOnOneLine) {
  std::string out = "\n";
  append_json(out, "{\r\n \"a\": 1,\n\n\"b\":2}\n");
  EXPECT_EQ(out, "\n{   \"a\": 1,  \"b\":2} ");
  append_json(out, "");
  EXPECT_EQ(out, "\n{   \"a\": 1,  \"b\":2} null");
}

TEST(JsonText, WritesMembersWithCommasBetween) {
  std::string out;
  ObjectText object(out);
  object.number("a", 0);
  object.number("b", 18'446'744'073'709'551'615U);
  object.text_or_null("c", "");
  object.time_us("d", 1);
  object.end();
  EXPECT_EQ(out, R"({"a":0,"b":18446744073709551615,"c":null,"d":"1970-01-01T00:00:00.000001Z"})");
}

TEST(JsonText, WritesListsWithCommasBetween) {
  const auto list_of = [](const std::vector<std::string>& elements) {
    std::string out = "x";
    write_list(out, elements, append_string);
    return out;
  };
  EXPECT_EQ(list_of({}), "x[]");
  EXPECT_EQ(list_of({"a"}), R"(x["a"])");
  EXPECT_EQ(list_of({"a", "", "b"}), R"(x["a","","b"])");
}

}  // namespace
}  // namespace toolway::gateway::wire
