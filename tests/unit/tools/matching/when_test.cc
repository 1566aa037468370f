#include "tools/matching/when.h"

#include <gtest/gtest.h>

namespace toolway::tools::matching {
namespace {

using Lines = std::vector<std::string>;

Json json(const char* text) { return *parse_json(text); }

Lines subset(const char* wanted, const char* given) {
  return mismatches({.arguments = json(wanted)}, json(given));
}

TEST(When, ObjectsMayHaveMoreMembersAtAnyDepth) {
  EXPECT_EQ(subset(R"({"a": {"b": 1}})", R"({"a": {"b": 1, "c": 2}, "d": 3})"), Lines{});
  EXPECT_EQ(subset(R"({})", R"({"d": 3})"), Lines{});
  EXPECT_EQ(subset(R"({"a": {"b": 1}})", R"({"a": {"b": 2}})"), Lines{"/a/b is 2, not 1"});
  EXPECT_EQ(subset(R"({"a": 1, "b/c": 2})", R"({"x": 1})"),
            (Lines{"/a is missing", "/b~1c is missing"}));
}

TEST(When, ListsHaveTheSameLengthAndNumbersAreComparedByValue) {
  EXPECT_EQ(subset(R"({"l": [1, {"a": 1}]})", R"({"l": [1.0, {"a": 1, "b": 2}]})"), Lines{});
  EXPECT_EQ(subset(R"({"l": [1]})", R"({"l": [1, 2]})"),
            Lines{"/l is a list of 2, not a list of 1"});
  EXPECT_EQ(subset(R"({"l": "1"})", R"({"l": 1})"), Lines{"/l is 1, not \"1\""});
  EXPECT_EQ(subset(R"({"l": null})", R"({"l": false})"), Lines{"/l is false, not null"});
}

TEST(When, PointersAndSchemaMustHoldAsWell) {
  When when{.pointers = {{"/list/1", Json("b")}, {"", json(R"({"list": ["a", "b"]})")}}};
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

TEST(Differences, AreFoundOnBothSides) {
  EXPECT_EQ(differences(json(R"({"a": 1, "b": 2})"), json(R"({"a": 1, "c": 3})")),
            (Lines{"/b is missing", "/c is 3, not left out"}));
}

}  // namespace
}  // namespace toolway::tools::matching
