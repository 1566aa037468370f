#include "tools/templates/http_text.h"

#include <gtest/gtest.h>

#include "tools/templates/json_template.h"
#include "tools/templates/pick_template.h"

namespace toolway::tools::templates {
namespace {

class HttpText : public ::testing::Test {
 protected:
  static ArgumentTemplate parse(const std::string& text) {
    return *parse_argument_template(text, SecretPlaceholders::kAllowed);
  }
  HttpValues source(const Json& arguments) const {
    return {.arguments = {arguments, defaults_}, .secret = [](const std::string& name) {
              return name == "KEY"     ? std::optional<std::string>("s3cr/t")
                     : name == "LINE"  ? std::optional<std::string>("a\nb")
                     : name == "EMPTY" ? std::optional<std::string>("")
                                       : std::nullopt;
            }};
  }
  std::string path(const std::string& text, const Json& arguments) const {
    const auto rendered = render_path(parse(text), source(arguments));
    return rendered ? *rendered : rendered.error().message;
  }
  std::string part(const std::string& text, const Json& arguments, HttpPlace place) const {
    const auto rendered = render_part(parse(text), source(arguments), place);
    return !rendered ? rendered.error().message : *rendered ? **rendered : "(left out)";
  }
  const Json defaults_ = {{"unit", "metre"}};
};

TEST_F(HttpText, AValueInAPathIsOneSegment) {
  EXPECT_EQ(path("/users/{id}/x", {{"id", "a/b"}}), "/users/a%2Fb/x");
  EXPECT_EQ(path("/users/{id}", {{"id", "../../admin"}}), "/users/..%2F..%2Fadmin");
  EXPECT_EQ(path("/users/{id}", {{"id", "a?b#c&d=e;f"}}), "/users/a%3Fb%23c%26d%3De%3Bf");
  EXPECT_EQ(path("/users/{id}", {{"id", "%2e%2e"}}), "/users/%252e%252e");
  EXPECT_EQ(path("/users/{id}", {{"id", "\xc3\xa4 \\"}}), "/users/%C3%A4%20%5C");
  EXPECT_EQ(path("/users/{id}", {{"id", std::string("a\0b\r\n", 5)}}), "/users/a%00b%0D%0A");
  EXPECT_EQ(path("/n/{id}", {{"id", 12}}), "/n/12");
  EXPECT_EQ(path("/{unit}/v1.2", Json::object()), "/metre/v1.2");
  for (const std::string dots : {".", ".."}) {
    EXPECT_EQ(path("/users/{id}/x", {{"id", dots}}),
              "/id: would make a segment of the path '" + dots + "', which means another path");
  }
  EXPECT_EQ(path("/users/{a}{b}", {{"a", "."}, {"b", "."}}),
            "/a: would make a segment of the path '..', which means another path");
  EXPECT_EQ(path("/users/.{a}", {{"a", "."}}),
            "/a: would make a segment of the path '..', which means another path");
  EXPECT_EQ(path("/users/{id}/x", {{"id", ""}}),
            "/id: is empty, and the path would lack a segment");
  EXPECT_EQ(path("/users/{id}", Json::object()), "/id: is not given");
  EXPECT_EQ(path("/users/{id}", {{"id", {1}}}),
            "/id: is an array; this part of a request is text, a number or a boolean");
}

TEST_F(HttpText, AValueInAQueryIsOneValue) {
  EXPECT_EQ(part("a={q}", {{"q", "x&b=y z+#"}}, HttpPlace::kQuery), "a=x%26b%3Dy%20z%2B%23");
  EXPECT_EQ(part("{q?}", Json::object(), HttpPlace::kQuery), "(left out)");
  const auto values = [&](const std::string& text, const Json& arguments) {
    const auto rendered = render_values(parse(text), source(arguments));
    return rendered ? Json(*rendered).dump() : rendered.error().message;
  };
  EXPECT_EQ(values("{q*}", {{"q", {"a", 1, true}}}), R"(["a","1","true"])");
  EXPECT_EQ(values("{q*}", Json::object()), "[]");
  EXPECT_EQ(values("{q?}", Json::object()), "[]");
  EXPECT_EQ(values("x{q?}", {{"q", 5}}), R"(["x5"])");
  EXPECT_EQ(values("{q*}", {{"q", "a"}}), "/q: is not an array");
  EXPECT_EQ(values("{q*}", {{"q", {"a", nullptr}}}),
            "/q/1: is null; this part of a request is text, a number or a boolean");
  EXPECT_EQ(values("{q}", {{"q", nullptr}}), "/q: is not given");
  EXPECT_EQ(values("{q:json}", {{"q", nullptr}}), R"(["null"])");
  EXPECT_EQ(values("{q:json}", {{"q", {1}}}), R"(["[1]"])");
}

TEST_F(HttpText, NoHeaderIsInjected) {
  for (const std::string value : {"a\r\nX-Evil: 1", "a\nb", "a\rb", "\x01", "\x7f"}) {
    EXPECT_EQ(part("v {h}", {{"h", value}}, HttpPlace::kHeader),
              "/h: has a line break or another control character, which no header may have");
  }
  EXPECT_EQ(part("{h}", {{"h", std::string("a\0b", 3)}}, HttpPlace::kHeader),
            "/h: has a line break or another control character, which no header may have");
  EXPECT_EQ(part("{h}", {{"h", "tab\tand \xc3\xa4"}}, HttpPlace::kHeader), "tab\tand \xc3\xa4");
  for (const std::string value : {"a/b", "a@b", "a b", "", "a#", "a?b", "[::1]", "a\\b", "a%2e"}) {
    EXPECT_EQ(part("https://{h}.example.com", {{"h", value}}, HttpPlace::kHost),
              "/h: is not a host name")
        << value;
  }
}

TEST_F(HttpText, SecretsComeFromNoArgument) {
  EXPECT_EQ(part("Bearer {secret:KEY}", {{"secret:KEY", "x"}, {"KEY", "y"}}, HttpPlace::kHeader),
            "Bearer s3cr/t");
  EXPECT_EQ(part("{secret:KEY}", Json::object(), HttpPlace::kQuery), "s3cr%2Ft");
  const std::pair<const char*, const char*> unusable[] = {
      {"NONE",
       "this worker has no secret `NONE`: give it a file NONE in its directory of secrets, or set "
       "TOOLWAY_SECRET_NONE"},
      {"LINE",
       "secret `LINE` has a line break or another control character, which no header may have"},
      {"EMPTY", "secret `EMPTY` is empty"}};
  for (const auto& [name, why] : unusable) {
    const auto rendered = render_part(parse(std::string("Bearer {secret:") + name + "}"),
                                      source(Json::object()), HttpPlace::kHeader);
    ASSERT_FALSE(rendered) << name;
    EXPECT_EQ(rendered.error().code, ErrorCode::kNotFound) << name;
    EXPECT_EQ(rendered.error().message, why);
  }
  EXPECT_EQ(part("{v}", {{"v", "{secret:KEY}"}}, HttpPlace::kText), "{secret:KEY}");
  EXPECT_EQ(parse_argument_template("{secret:a b}", SecretPlaceholders::kAllowed).error().message,
            "`{secret:a b}`: a secret's name is 1 to 64 of A-Z a-z 0-9 _");
  EXPECT_FALSE(parse_argument_template("{secret:KEY}"));
}

TEST_F(HttpText, JsonKeepsTypes) {
  Mistakes mistakes;
  const auto json = [&](const std::string& text, const Json& arguments) {
    const auto rendered = render_json(parse_json_template(*parse_ordered_json(text), "", mistakes),
                                      source(arguments));
    return rendered ? rendered->dump() : rendered.error().message;
  };
  EXPECT_EQ(json(R"({"a": "{n}", "b": ["{n}", "x{n}"], "c": true, "d": "{{}}"})", {{"n", 5}}),
            R"({"a":5,"b":[5,"x5"],"c":true,"d":"{}"})");
  EXPECT_EQ(json(R"({"a": "{o}", "b": "{o:json}"})", {{"o", {{"k", {1, 2}}}}}),
            R"({"a":{"k":[1,2]},"b":"{\"k\":[1,2]}"})");
  EXPECT_EQ(json(R"({"a": "{n?}", "b": ["{n?}", 1], "c": "x {n?}"})", Json::object()),
            R"({"b":[1]})");
  EXPECT_EQ(json(R"({"a": [0, "{l*}", 9]})", {{"l", {1, "2"}}}), R"({"a":[0,1,"2",9]})");
  EXPECT_EQ(json(R"({"a": [0, "{l*}"]})", Json::object()), R"({"a":[0]})");
  EXPECT_EQ(json(R"({"a": "{t}"})", {{"t", "\"}, \"evil\": \"{n}"}}),
            R"({"a":"\"}, \"evil\": \"{n}"})");
  EXPECT_EQ(json(R"({"a": "{secret:KEY}"})", Json::object()), R"({"a":"s3cr/t"})");
  EXPECT_EQ(json(R"({"a": "{n}"})", Json::object()), "/n: is not given");
  EXPECT_EQ(
      json(R"({"a": "{n}", "b": ["{n}", "{n?}"], "c": "{n:json}", "d": "{n?}"})", {{"n", nullptr}}),
      R"({"a":null,"b":[null],"c":"null"})");
  EXPECT_EQ(mistakes.count(), 0U);
  json(R"({"a": {"b": ["{x"]}})", Json::object());
  ASSERT_EQ(mistakes.count(), 1U);
  EXPECT_EQ(std::move(mistakes).take().front().place, "/a/b/0");
}

TEST_F(HttpText, PicksFromDocuments) {
  Mistakes mistakes;
  const Json document = {
      {"web",
       {{"results",
         {{{"url", "u1"}, {"n", 1}, {"title", nullptr}}, {{"url", "u2"}, {"title", "t"}}}}}},
      {"q", "x"}};
  const auto picked = [&](const std::string& text) {
    return pick(parse_pick_template(*parse_ordered_json(text), "", mistakes), document).dump();
  };
  EXPECT_EQ(
      picked(
          R"({"query": "{/q}", "results": {"each": "/web/results", "item": {"at": "{/url}", "title": "{/title}"}}, "none": "{/none/0}"})"),
      R"({"query":"x","results":[{"at":"u1"},{"at":"u2","title":"t"}]})");
  EXPECT_EQ(
      picked(R"(["{/web/results/1/url}", "{/web/results/x}", "{/web/results/-}", "{{q}", 1])"),
      R"(["u2","{q}",1])");
  EXPECT_EQ(picked(R"({"each": "/q", "item": "{/a}"})"), "[]");
  EXPECT_EQ(picked(R"("{}")"), document.dump());
  EXPECT_EQ(mistakes.count(), 0U);
  for (const std::string text :
       {R"("{q}")", R"("{/a~2}")", R"("{/a")", R"({"each": "web", "item": 1})",
        R"({"each": "/web"})", R"({"each": "/web", "item": 1, "x": 2})"}) {
    const auto before = mistakes.count();
    picked(text);
    EXPECT_GT(mistakes.count(), before) << text;
  }
}

}  // namespace
}  // namespace toolway::tools::templates
