#include "tools/executors/mock/mock_match.h"

#include <gtest/gtest.h>

namespace toolway::tools::executors::mock {
namespace {

using Lines = std::vector<std::string>;

Json json(const char* text) { return *parse_json(text); }

Lines subset(const char* wanted, const char* given) {
  return mismatches({.arguments = json(wanted)}, json(given));
}

TEST(MockPattern, NamesToolsByNamespaceAndName) {
  EXPECT_TRUE(matches_tool("*", "web.search"));
  EXPECT_TRUE(matches_tool("web.*", "web.search"));
  EXPECT_TRUE(matches_tool("*.search", "web.search"));
  EXPECT_TRUE(matches_tool("w*b.s*r*h", "web.search"));
  EXPECT_TRUE(matches_tool("web.search", "web.search"));
  EXPECT_FALSE(matches_tool("web.search", "web.searching"));
  EXPECT_FALSE(matches_tool("web.*", "webs.search"));
  EXPECT_FALSE(matches_tool("web.se", "web.search"));
  EXPECT_FALSE(matches_tool("*.x", "web.search"));
}

TEST(MockPattern, OfAnotherFormIsNone) {
  for (const char* pattern : {"", "web", "web.", ".search", "a.b.c", "we b.*", "web.s\n"})
    EXPECT_FALSE(valid_tool_pattern(pattern)) << pattern;
  for (const char* pattern : {"*", "*.*", "web.search", "w-_1.*x"})
    EXPECT_TRUE(valid_tool_pattern(pattern)) << pattern;
}

TEST(MockWhen, ObjectsMayHaveMoreMembersAtAnyDepth) {
  EXPECT_EQ(subset(R"({"a": {"b": 1}})", R"({"a": {"b": 1, "c": 2}, "d": 3})"), Lines{});
  EXPECT_EQ(subset(R"({})", R"({"d": 3})"), Lines{});
  EXPECT_EQ(subset(R"({"a": {"b": 1}})", R"({"a": {"b": 2}})"), Lines{"/a/b is 2, not 1"});
  EXPECT_EQ(subset(R"({"a": 1, "b/c": 2})", R"({"x": 1})"),
            (Lines{"/a is missing", "/b~1c is missing"}));
}

TEST(MockWhen, ListsHaveTheSameLengthAndNumbersAreComparedByValue) {
  EXPECT_EQ(subset(R"({"l": [1, {"a": 1}]})", R"({"l": [1.0, {"a": 1, "b": 2}]})"), Lines{});
  EXPECT_EQ(subset(R"({"l": [1]})", R"({"l": [1, 2]})"),
            Lines{"/l is a list of 2, not a list of 1"});
  EXPECT_EQ(subset(R"({"l": "1"})", R"({"l": 1})"), Lines{"/l is 1, not \"1\""});
  EXPECT_EQ(subset(R"({"l": null})", R"({"l": false})"), Lines{"/l is false, not null"});
}

TEST(MockWhen, PointersAndSchemaMustHoldAsWell) {
  MockWhen when{.pointers = {{"/list/1", Json("b")}, {"", json(R"({"list": ["a", "b"]})")}}};
  EXPECT_EQ(mismatches(when, json(R"({"list": ["a", "b"]})")), Lines{});
  when.pointers = {{"/list/-", Json(1)},
                   {"/list/01", Json(1)},
                   {"/list/99999999999999999999", Json(1)},
                   {"/x/y", Json(1)}};
  EXPECT_EQ(mismatches(when, json(R"({"list": [1, 2]})")).size(), 4U);
  when = {.schema = *schema::compile_schema(
              *parse_ordered_json(R"({"properties": {"n": {"minimum": 5}}})"))};
  EXPECT_EQ(mismatches(when, json(R"({"n": 5})")), Lines{});
  EXPECT_EQ(mismatches(when, json(R"({"n": 4})")).size(), 1U);
}

TEST(MockDigest, IsOfValuesAndNotOfTheirText) {
  EXPECT_EQ(arguments_digest(json(R"({"a": 1, "b": [2.5]})")),
            arguments_digest(json(R"({"b": [2.5], "a": 1.0})")));
  EXPECT_NE(arguments_digest(json(R"({"a": 1})")), arguments_digest(json(R"({"a": "1"})")));
  EXPECT_NE(arguments_digest(json("{}")), arguments_digest(json(R"({"a": null})")));
  EXPECT_NE(arguments_digest(json(R"({"a": 1e300})")), arguments_digest(json(R"({"a": 1e299})")));
}

TEST(MockDifferences, AreFoundOnBothSides) {
  EXPECT_EQ(differences(json(R"({"a": 1, "b": 2})"), json(R"({"a": 1, "c": 3})")),
            (Lines{"/b is missing", "/c is 3, not left out"}));
}

}  // namespace
}  // namespace toolway::tools::executors::mock
