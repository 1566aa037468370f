// What hostile documents and schemas may cost.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <time.h>

#include "tests/unit/tools/compiled_schema.h"
#include "tools/schema/schema.h"

namespace toolway::tools::schema {
namespace {

bool valid(const std::string& schema, const std::string& document) {
  return told(schema, document).empty();
}

/// CPU time of this thread, in seconds: what others do on the machine does not count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double seconds(const CompiledSchema& schema, const Json& document) {
  const double begun = cpu_seconds();
  (void)schema.validate(document);
  return cpu_seconds() - begun;
}

Json integers(int count) {
  Json list = Json::array();
  for (int i = 0; i < count; ++i) list.push_back(i);
  return list;
}

constexpr const char* kUnique = R"({"uniqueItems": true})";

TEST(SchemaBounds, UniqueItemsTakesTimeInProportionToTheItems) {
  const auto schema = compiled(kUnique);
  EXPECT_EQ(describe(schema->validate(integers(75'000))), "");
  seconds(*schema, integers(37'500));  // memory is there
  const double half = seconds(*schema, integers(37'500));
  const double whole = seconds(*schema, integers(75'000));
  EXPECT_LT(whole, 0.5) << "all pairs took 28 s";
  EXPECT_LT(whole, half * 3 + 0.02) << "by the square it would be four times as long";
}

TEST(SchemaBounds, UniqueItemsComparesAsJsonSchemaDoes) {
  EXPECT_FALSE(valid(kUnique, "[1, 1.0]"));
  EXPECT_FALSE(valid(kUnique, "[-2, -2.0]"));
  EXPECT_FALSE(valid(kUnique, "[0, -0.0]"));
  EXPECT_TRUE(valid(kUnique, "[1, true]"));
  EXPECT_TRUE(valid(kUnique, "[0, false, null, \"\", [], {}]"));
  EXPECT_TRUE(valid(kUnique, R"([1, "1"])"));
  EXPECT_FALSE(valid(kUnique, R"([{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}])"));
  EXPECT_TRUE(valid(kUnique, R"([{"a": 1}, {"a": 1, "b": null}])"));
  EXPECT_TRUE(valid(kUnique, R"([["a", "b"], ["ab"], [["a"], "b"]])"));
  EXPECT_TRUE(valid(kUnique, "[9007199254740992, 9007199254740993]"));
  EXPECT_FALSE(valid(kUnique, "[18446744073709551615, 1, 18446744073709551615]"));
  EXPECT_FALSE(valid(kUnique, "[0.1, 0.1]"));
  EXPECT_TRUE(valid(R"({"uniqueItems": false})", "[1, 1]"));
  EXPECT_TRUE(valid(kUnique, R"("aa")"));
}

TEST(SchemaBounds, UniqueItemsAppliesWhereverSchemasDo) {
  EXPECT_FALSE(valid(R"({"items": {"uniqueItems": true}})", "[[1], [2, 2]]"));
  EXPECT_TRUE(valid(R"({"anyOf": [{"uniqueItems": true}, {"maxItems": 2}]})", "[1, 1]"));
  EXPECT_FALSE(valid(R"({"anyOf": [{"uniqueItems": true}, {"maxItems": 2}]})", "[1, 1, 1]"));
  EXPECT_FALSE(valid(R"({"not": {"uniqueItems": true}})", "[1, 2]"));
  EXPECT_FALSE(valid(
      R"({"properties": {"a": {"$ref": "#/$defs/set"}}, "$defs": {"set": {"uniqueItems": true}}})",
      R"({"a": ["x", "x"]})"));
  EXPECT_EQ(told(R"({"if": {"uniqueItems": true}, "then": {"maxItems": 1}})", "[1, 2]"),
            "expected at most 1 item, found 2");
}

TEST(SchemaBounds, PatternsDoNotBacktrack) {
  const std::string text = std::string(200, 'a') + "!";
  for (const std::string pattern : {"^(a+)+$", "^([a-zA-Z0-9]+\\\\s?)*$", "(a|a)*b"}) {
    const auto schema = compiled(R"({"pattern": ")" + pattern + R"("})");
    EXPECT_FALSE(schema->validate(text).empty());
    EXPECT_LT(seconds(*schema, text), 0.05) << pattern;
    const Json by_name{{text, 1}};
    const auto names = compiled(R"({"patternProperties": {")" + pattern + R"(": false}})");
    EXPECT_LT(seconds(*names, by_name), 0.05) << pattern;
  }
}

TEST(SchemaBounds, PatternsMatchTextsOfAnyLength) {
  const std::string schema =
      R"({"properties": {"id": {"pattern": "^(a|b)*$"}}, "patternProperties": {"^(x|y)*$": false}})";
  EXPECT_EQ(describe(compiled(schema)->validate({{"id", std::string(300'000, 'a')}})), "");
  EXPECT_NE(describe(compiled(schema)->validate({{"id", std::string(300'000, 'a') + "c"}})), "");
  EXPECT_NE(describe(compiled(schema)->validate({{std::string(10'000, 'x'), 1}})), "");
}

TEST(SchemaBounds, APatternThatCannotBeMatchedIsRefusedAtItsPlace) {
  const auto mistakes = schema_mistakes(*parse_ordered_json(
      R"json({"properties": {"a": {"pattern": "^(?!b)"}, "pattern": {"type": "string"}},
              "patternProperties": {"(x)\\1": true}})json"));
  ASSERT_EQ(mistakes.size(), 2U);
  EXPECT_EQ(mistakes[0].place, "/patternProperties/(x)\\1");
  EXPECT_EQ(mistakes[1].place, "/properties/a/pattern");
  EXPECT_NE(mistakes[1].message.find("looks ahead"), std::string::npos);
  // What only looks like one is none.
  EXPECT_TRUE(
      schema_mistakes(
          *parse_ordered_json(
              R"json({"enum": [{"pattern": "("}], "properties": {"patternProperties": {}}})json"))
          .empty());
}

TEST(SchemaBounds, AValidationIsGivenUpAfterItsSteps) {
  const auto schema = compiled(R"({"items": {"type": "integer"}})");
  EXPECT_TRUE(schema->validate_within(integers(100), 1'000));
  EXPECT_FALSE(schema->validate_within(integers(10'000), 1'000));
  EXPECT_TRUE(schema->validate_within(integers(10'000), 100'000));
}

TEST(SchemaBounds, AlternativesInsideOfAlternativesEnd) {
  // Each level is tried twice: 2^60 times at the bottom.
  const auto schema = compiled(R"({"$ref": "#/$defs/node", "$defs": {"node": {
    "oneOf": [{"type": "integer"}, {"properties": {"a": {"$ref": "#/$defs/node"}}, "required": ["a"]},
              {"properties": {"a": {"$ref": "#/$defs/node"}}, "required": ["a"]}]}}})");
  std::string text;
  for (int i = 0; i < 60; ++i) text += R"({"a":)";
  text += "\"x\"" + std::string(60, '}');
  const double begun = cpu_seconds();
  const auto violations = schema->validate(*parse_json(text));
  EXPECT_LT(cpu_seconds() - begun, 15.0);
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_NE(violations[0].message.find("too many steps"), std::string::npos)
      << violations[0].message;
}

TEST(SchemaBounds, ManyMistakesInAnAlternativeAreNotKept) {
  const auto schema =
      compiled(R"({"anyOf": [{"items": {"type": "string"}}, {"items": {"type": "integer"}}]})");
  EXPECT_EQ(describe(schema->validate(integers(100'000))), "");
  // The second alternative is the one: the first ends at its fifth mistake.
  EXPECT_TRUE(schema->validate_within(integers(10'000), 60'000));
}

TEST(SchemaBounds, UnevaluatedItemsAreFoundInOnePass) {
  const auto schema =
      compiled(R"({"contains": {"type": "string"}, "unevaluatedItems": {"type": "integer"}})");
  const auto mixed = [](int count) {
    Json list = Json::array();
    for (int i = 0; i < count; ++i) list.push_back(i % 2 == 0 ? Json("s") : Json(i));
    return list;
  };
  EXPECT_EQ(describe(schema->validate(mixed(40'000))), "");
  const double half = seconds(*schema, mixed(20'000));
  const double whole = seconds(*schema, mixed(40'000));
  EXPECT_LT(whole, half * 3 + 0.02);
  EXPECT_EQ(told(R"({"contains": {"type": "string"}, "unevaluatedItems": {"type": "integer"}})",
                 R"(["s", 1, null])"),
            "/2: expected integer, found null");
}

TEST(SchemaBounds, AnnotationsAreThoseOfJsonSchema) {
  const std::string schema =
      R"({"anyOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]},
                                           {"properties": {"b": true}, "required": ["b"]}],
                                 "unevaluatedProperties": false})";
  EXPECT_TRUE(valid(schema, R"({"a": "x"})"));
  EXPECT_FALSE(valid(schema, R"({"a": 1, "b": 2})"));  // of the first nothing was evaluated
  EXPECT_TRUE(
      valid(R"({"if": {"properties": {"a": {"const": 1}}}, "unevaluatedProperties": false})",
            R"({"a": 1})"));
  EXPECT_FALSE(
      valid(R"({"if": {"properties": {"a": {"const": 1}}}, "unevaluatedProperties": false})",
            R"({"a": 2})"));
  EXPECT_FALSE(
      valid(R"({"not": {"properties": {"a": {"const": 1}}}, "unevaluatedProperties": false})",
            R"({"a": 2})"));
  EXPECT_TRUE(valid(R"({"patternProperties": {"^x": true}, "unevaluatedProperties": false})",
                    R"({"xa": 2})"));
  EXPECT_TRUE(
      valid(R"({"additionalProperties": {"type": "string"}, "unevaluatedProperties": false})",
            R"({"q": "2"})"));
}

}  // namespace
}  // namespace toolway::tools::schema
