#include "cli/client/arguments.h"

#include <gtest/gtest.h>

namespace toolway::cli::client {
namespace {

const OrderedJson kSchema = OrderedJson::parse(R"({
  "type": "object", "additionalProperties": false,
  "properties": {
    "timezone": {"type": "string"}, "n": {"type": "integer"}, "ratio": {"type": "number"},
    "deep": {"type": "boolean"}, "tags": {"type": "array"}, "more": {"type": ["object", "null"]},
    "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    "either": {"type": ["integer", "string"]}}})");

std::string text_of(const std::vector<std::string>& words, const OrderedJson& schema = kSchema) {
  const auto object = object_of_pairs(words, schema);
  return object ? object->dump() : "error: " + object.error().message;
}

TEST(Arguments, PairsAreTypedByTheSchema) {
  EXPECT_EQ(text_of({"timezone=Asia/Tokyo", "n=3", "ratio=0.5", "deep=true"}),
            R"({"timezone":"Asia/Tokyo","n":3,"ratio":0.5,"deep":true})");
  EXPECT_EQ(text_of({"tags=[\"a\",1]", "more={\"x\":null}"}),
            R"({"tags":["a",1],"more":{"x":null}})");
  EXPECT_EQ(text_of({"timezone=3"}), R"({"timezone":"3"})") << "a string stays one";
  EXPECT_EQ(text_of({"maybe=null"}), R"({"maybe":"null"})") << "only := can mean null";
  EXPECT_EQ(text_of({"either=4", "ratio=2"}), R"({"either":4,"ratio":2})");
  EXPECT_EQ(text_of({"either=four"}), R"({"either":"four"})");
  EXPECT_EQ(text_of({"timezone=a=b", "maybe="}), R"({"timezone":"a=b","maybe":""})");
}

TEST(Arguments, RawPairsAreJson) {
  EXPECT_EQ(text_of({"maybe:=null", "n:=3"}), R"({"maybe":null,"n":3})");
  EXPECT_EQ(text_of({"n:=three"}), "error: n:=three: the value after := must be JSON");
}

TEST(Arguments, SayWhichPairIsWrongAndWhatIsWanted) {
  EXPECT_EQ(text_of({"n=three"}), "error: n=three: the tool wants an integer");
  EXPECT_EQ(text_of({"n=1.5"}), "error: n=1.5: the tool wants an integer");
  EXPECT_EQ(text_of({"deep=yes"}), "error: deep=yes: the tool wants a boolean");
  EXPECT_EQ(text_of({"more=x"}), "error: more=x: the tool wants an object");
  EXPECT_EQ(text_of({"timezon=UTC"}),
            "error: the tool has no argument 'timezon'; did you mean 'timezone'?");
  EXPECT_EQ(text_of({"n=1", "n=2"}), "error: argument 'n' is given twice");
  EXPECT_EQ(text_of({"n=1", "x"}).find("error: 'x' is not NAME=VALUE"), 0U);
}

TEST(Arguments, WithoutASchemaAreText) {
  EXPECT_EQ(text_of({"a=1", "b=true"}, OrderedJson()), R"({"a":"1","b":"true"})");
}

TEST(Arguments, PairsAreToldFromJson) {
  EXPECT_TRUE(are_pairs({"a=1", "b:=2"}));
  EXPECT_FALSE(are_pairs({}));
  EXPECT_FALSE(are_pairs({"{\"a\": \"x=y\"}"}));
  EXPECT_FALSE(are_pairs({"=1"}));
  EXPECT_FALSE(are_pairs({"@file"}));
}

TEST(Arguments, AnythingElseMustBeOneObject) {
  EXPECT_EQ(object_of("{\"a\":1}")->dump(), "{\"a\":1}");
  for (const char* text : {"Tokyo", "[1]", "3", "{a}", ""}) {
    const auto refused = object_of(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, ErrorCode::kMalformedJson);
    EXPECT_EQ(refused.error().message.find(
                  "ARGUMENTS must be a JSON object, for example '{\"timezone\": \"UTC\"}'"),
              0U)
        << refused.error().message;
  }
  EXPECT_EQ(object_of(R"({"a":1,"b":{"c":1,"c":2}})").error().code, ErrorCode::kMalformedJson);
}

}  // namespace
}  // namespace toolway::cli::client
