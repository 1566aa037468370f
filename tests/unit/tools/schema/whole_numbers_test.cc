#include "tools/schema/whole_numbers.h"

#include <gtest/gtest.h>

#include "tests/unit/tools/compiled_schema.h"

namespace toolway::tools::schema {
namespace {

/// The document as a tool gets it; "unchanged" when it is the caller's own.
std::string normalized(const std::string& schema, const std::string& document) {
  const auto changed = compiled(schema)->with_integers(*parse_json(document));
  return changed ? to_text(*changed) : "unchanged";
}

TEST(WholeNumbers, AreIntegersWhereTheSchemaWantsThem) {
  const std::string integer = R"({"type": "integer"})";
  EXPECT_EQ(normalized(integer, "2.0"), "2");
  EXPECT_EQ(normalized(integer, "-2.0"), "-2");
  EXPECT_EQ(normalized(integer, "-0.0"), "0");
  EXPECT_EQ(normalized(integer, "1e3"), "1000");
  EXPECT_EQ(normalized(integer, "1e19"), "10000000000000000000");
  EXPECT_EQ(normalized(integer, "-9223372036854775808.0"), "-9223372036854775808");
  EXPECT_EQ(normalized(integer, "1e20"), "unchanged");
  EXPECT_EQ(normalized(integer, "2"), "unchanged");
  EXPECT_EQ(normalized(R"({"type": ["string", "integer"]})", "2.0"), "2");
  EXPECT_EQ(normalized(R"({"type": ["number", "integer"]})", "2.0"), "unchanged");
  EXPECT_EQ(normalized(R"({"type": "number"})", "2.0"), "unchanged");
  EXPECT_EQ(normalized("{}", "2.0"), "unchanged");
}

TEST(WholeNumbers, AreFoundAtEveryPlace) {
  const std::string schema = R"({"$defs": {"n": {"type": "integer"}, "tree": {"$anchor": "t",
      "properties": {"n": {"$ref": "#/$defs/n"}, "next": {"$ref": "#t"}}}},
    "properties": {"tree": {"$ref": "#/$defs/tree"}, "plain": {"type": "number"},
      "list": {"prefixItems": [{"type": "number"}], "items": {"type": "integer"}}},
    "patternProperties": {"^n_": {"type": "integer"}},
    "additionalProperties": {"type": ["integer", "null"]}})";
  EXPECT_EQ(normalized(schema, R"({"tree": {"n": 1.0, "m": 1.0, "next": {"n": 2.0, "next": {}}},
    "plain": 3.0, "list": [1.0, 2.0, 3], "n_x": 4.0, "other": 5.0})"),
            R"({"list":[1.0,2,3],"n_x":4,"other":5,"plain":3.0,)"
            R"("tree":{"m":1.0,"n":1,"next":{"n":2,"next":{}}}})");
  EXPECT_EQ(normalized(schema, R"({"plain": 3.0, "list": [1.0]})"), "unchanged");
}

TEST(WholeNumbers, OfAlternativesAreIntegersUnlessOneTakesAnyNumber) {
  EXPECT_EQ(normalized(R"({"anyOf": [{"type": "integer"}, {"type": "string"}]})", "2.0"), "2");
  EXPECT_EQ(
      normalized(R"({"oneOf": [{"type": "integer", "maximum": 1}, {"type": "number"}]})", "2.0"),
      "unchanged");
  EXPECT_EQ(normalized(R"({"type": "integer", "anyOf": [{"type": "number"}]})", "2.0"), "2");
  EXPECT_EQ(normalized(R"({"allOf": [{"type": "number"}, {"type": "integer"}]})", "2.0"), "2");
  EXPECT_EQ(normalized(R"({"if": {}, "then": {"type": "integer"}})", "2.0"), "2");
}

}  // namespace
}  // namespace toolway::tools::schema
