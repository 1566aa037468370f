#include "tools/schema/secret_places.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tools/schema/schema.h"

namespace toolway::tools::schema {
namespace {

using Places = std::vector<std::string>;

Places places(const char* schema, const char* value) {
  return secret_places(OrderedJson::parse(schema), Json::parse(value));
}

TEST(SecretPlaces, AreWhatTheSchemaMarks) {
  constexpr const char* kLogin = R"({"properties": {
      "user": {"type": "string"},
      "password": {"type": "string", "writeOnly": true},
      "token": {"x-secret": true},
      "plain": {"writeOnly": false, "x-secret": "true"}}})";
  EXPECT_EQ(places(kLogin, R"({"user": "ann", "password": "p", "token": {"a": 1}, "plain": 1})"),
            (Places{"/password", "/token"}));
  EXPECT_EQ(places(kLogin, R"({"user": "ann"})"), Places{});
  EXPECT_EQ(places(R"({"writeOnly": true})", R"({"a": 1})"), Places{""});
}

TEST(SecretPlaces, InItemsMembersAndAlternatives) {
  EXPECT_EQ(
      places(R"({"properties": {"users": {"items": {"properties": {"pin": {"x-secret": true}}}}}})",
             R"({"users": [{"pin": 1}, {"name": "bob"}, {"pin": 2}]})"),
      (Places{"/users/0/pin", "/users/2/pin"}));
  EXPECT_EQ(
      places(
          R"({"prefixItems": [{}, {"x-secret": true}], "items": {"properties": {"k": {"x-secret": true}}}})",
          R"([{"a": 1}, 2, {"k": 3}])"),
      (Places{"/1", "/2/k"}));
  EXPECT_EQ(places(R"({"properties": {"known": {}}, "additionalProperties": {"x-secret": true}})",
                   R"({"known": 1, "a/b~c": 2})"),
            Places{"/a~1b~0c"});
  EXPECT_EQ(places(R"({"patternProperties": {"^key_": {"x-secret": true}}})", R"({"other": 1})"),
            Places{"/other"})
      << "in doubt it is one";
  for (const char* keyword : {"allOf", "anyOf", "oneOf"})
    EXPECT_EQ(places(("{\"" + std::string(keyword) +
                      R"(": [{}, {"properties": {"k": {"x-secret": true}}}]})")
                         .c_str(),
                     R"({"k": 1, "l": 2})"),
              Places{"/k"})
        << keyword;
  EXPECT_EQ(
      places(R"({"if": {}, "then": {"properties": {"k": {"x-secret": true}}}})", R"({"k": 1})"),
      Places{"/k"});
  EXPECT_EQ(places(R"({"dependentSchemas": {"a": {"properties": {"k": {"x-secret": true}}}}})",
                   R"({"k": 1})"),
            Places{"/k"});
}

TEST(SecretPlaces, BehindReferences) {
  constexpr const char* kTree = R"({"$defs": {"key": {"x-secret": true}},
      "properties": {"key": {"$ref": "#/$defs/key"}, "children": {"items": {"$ref": "#"}}}})";
  EXPECT_EQ(places(kTree, R"({"key": 1, "children": [{"children": [{"key": 2}]}]})"),
            (Places{"/children/0/children/0/key", "/key"}));
  for (const char* reference : {"https://elsewhere.example/key", "#anchor", "#/nowhere"})
    EXPECT_EQ(
        places(
            ("{\"properties\": {\"a\": {\"$ref\": \"" + std::string(reference) + "\"}}}").c_str(),
            R"({"a": 1})"),
        Places{"/a"})
        << reference << " cannot be followed: in doubt it is one";
}

TEST(SecretPlaces, WhatIsTooMuchIsHiddenAsAWhole) {
  Json many = Json::array();
  for (std::size_t i = 0; i <= kMaxSecretPlaces; ++i) many.push_back({{"k", 1}});
  EXPECT_EQ(
      secret_places(OrderedJson::parse(R"({"items": {"properties": {"k": {"x-secret": true}}}})"),
                    many),
      Places{""});
  const auto began = std::chrono::steady_clock::now();
  for (const char* endless :
       {R"({"$ref": "#"})", R"({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]})",
        R"({"additionalProperties": {"$ref": "#"}, "unevaluatedProperties": {"$ref": "#"}})"}) {
    Json deep = 1;
    for (int i = 0; i < 60; ++i) deep = Json{{"a", deep}, {"b", 1}};
    EXPECT_EQ(secret_places(OrderedJson::parse(endless), deep), Places{""}) << endless;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("three endless schemas: %.0f ms\n", took.count() * 1e3);
}

TEST(SecretPlaces, MarksAreFoundAnywhere) {
  EXPECT_FALSE(marks_secrets(
      OrderedJson::parse(R"({"type": "object", "properties": {"a": {"writeOnly": false}}})")));
  EXPECT_TRUE(marks_secrets(OrderedJson::parse(R"({"$defs": {"a": [{"x-secret": true}]}})")));
  EXPECT_FALSE(marks_secrets(OrderedJson()));
}

/// What violations of `schema` say of `value` once secrets are taken out.
std::string said(std::string_view schema, std::string_view value) {
  const auto parsed = OrderedJson::parse(schema);
  const auto json = Json::parse(value);
  auto violations = (*compile_schema(parsed))->validate(json);
  EXPECT_FALSE(violations.empty()) << schema;
  EXPECT_NE(describe(violations).find("hunter2"), std::string::npos)
      << "it quotes it: " << describe(violations);
  hide(violations, secret_places(parsed, json));
  return describe(violations);
}

TEST(Violations, QuoteNoSecret) {
  constexpr const char* kLong =
      R"({"password": "hunter2-is-far-longer-than-what-a-message-shows-of-a-value-0123456789"})";
  for (const char* rule : {R"("pattern": "^x$")", R"("enum": ["a", "b"])", R"("const": "a")",
                           R"("minimum": 1, "const": 5)"}) {
    const std::string schema =
        std::string(R"({"properties": {"password": {"writeOnly": true, )") + rule + "}}}";
    for (const char* value : {R"({"password": "hunter2"})", kLong})
      EXPECT_EQ(said(schema, value).find("hunter2"), std::string::npos) << rule;
  }
}

TEST(Violations, OfWhatIsAroundASecretQuoteNoneEither) {
  constexpr const char* kSecret = R"("properties": {"p": {"x-secret": true, "pattern": "^x$"}})";
  for (const std::string& schema :
       {fmt::format(R"({{"enum": [{{}}], {}}})", kSecret),
        fmt::format(R"({{"const": {{}}, {}}})", kSecret),
        fmt::format(R"({{"anyOf": [{{{}}}, {{"required": ["q"]}}]}})", kSecret),
        fmt::format(R"({{"oneOf": [{{{}}}, {{"required": ["q"]}}]}})", kSecret)})
    EXPECT_EQ(said(schema, R"({"p": "hunter2"})").find("hunter2"), std::string::npos) << schema;
}

TEST(Violations, OfOtherPlacesSayWhatTheyFound) {
  auto violations = std::vector<Violation>{{.place = "/port", .message = "expected 1, found 2"},
                                           {.place = "/p", .message = "expected 1, found 3"}};
  hide(violations, {"/p"});
  EXPECT_EQ(violations[0].message, "expected 1, found 2");
  EXPECT_EQ(violations[1].message.find('3'), std::string::npos);
}

TEST(HiddenText, KeepsTheOrderAndStaysAnObject) {
  const std::string text = R"({"z":1,"token":{"a":"top"},"list":[{"k":"hush"}]})";
  EXPECT_EQ(hidden_text(text, {"/token", "/list/0/k"}),
            R"({"z":1,"token":"[secret]","list":[{"k":"[secret]"}]})");
  EXPECT_EQ(hidden_text(text, {"/nowhere", "/list/9", "/list/-", "/token", "/token/a"}),
            R"({"z":1,"token":"[secret]","list":[{"k":"hush"}]})");
  EXPECT_EQ(hidden_text(text, {""}), R"({"*":"[secret]"})");
  EXPECT_EQ(hidden_text("not JSON", {"/a"}), R"({"*":"[secret]"})");
  Json value = Json::parse(text);
  hide(value, {"/token"});
  EXPECT_EQ(value["token"], "[secret]");
  hide(value, {""});
  EXPECT_EQ(value, "[secret]");
}

}  // namespace
}  // namespace toolway::tools::schema
