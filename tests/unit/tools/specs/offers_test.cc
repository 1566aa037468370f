#include "tools/specs/offers.h"

#include <gtest/gtest.h>

#include "tests/unit/tools/specs/documents.h"

namespace toolway::tools::specs {
namespace {

constexpr const char* kFile = R"(
prompts:
  - name: review
    namespace: code
    description: Reviews code.
    arguments: [{name: language, required: true, values: [c, cpp]}]
    asks:
      - {key: style, message: "Which style?", schema: {properties: {style: {type: string}}}}
    messages: [{role: user, content: {type: text, text: "{{language}} in {{style}}"}}]
resources:
  - {uri: "test://a", name: a, mime_type: text/plain, text: A}
  - {uri_template: "test://{id}/b", name: b, text: "B of {{id}}"}
)";

TEST(Offers, AreReadBesideTools) {
  const auto offers = offers_of(kFile, "f.yaml");
  ASSERT_EQ(offers.prompts.size(), 1U);
  const auto& prompt = offers.prompts[0];
  EXPECT_EQ(prompt.ns, "code");
  ASSERT_EQ(prompt.arguments.size(), 1U);
  EXPECT_TRUE(prompt.arguments[0].required);
  EXPECT_EQ(prompt.arguments[0].values, (std::vector<std::string>{"c", "cpp"}));
  ASSERT_EQ(prompt.asks.size(), 1U);
  EXPECT_TRUE(prompt.asks[0].answer);
  EXPECT_EQ(prompt.messages[0]["content"]["text"], "{{language}} in {{style}}");
  ASSERT_EQ(offers.resources.size(), 2U);
  EXPECT_EQ(offers.resources[0].ns, "default");
  EXPECT_TRUE(offers.resources[1].is_template);
}

TEST(Offers, SayWhatIsWrongWithThem) {
  const std::pair<const char*, const char*> cases[] = {
      {"prompts: {}", "prompts must be a list"},
      {"prompts: [1]", "a prompt must be a mapping"},
      {"prompts: [{name: a}]", "a prompt has `messages`, a list"},
      {"prompts: [{name: a, messages: [{role: system, content: {type: text, text: x}}]}]",
       "a message has a `role`, user or assistant"},
      {"prompts: [{name: a, messages: [{role: user, content: {type: text}}]}]",
       "content of type text has a `text`"},
      {"prompts: [{name: a, messages: [{role: user, content: {type: image, data: '%', mimeType: "
       "image/png}}]}]",
       "images and audio have `data`, base64, and a `mimeType`"},
      {"prompts: [{name: a, messages: [{role: user, content: {type: text, text: '{{b}}'}}]}]",
       R"("/b" names no argument, and nothing that is asked)"},
      {"resources: [{name: a}]", "a resource has either `uri` or `uri_template`"},
      {"resources: [{name: a, uri: 'x://', uri_template: 'y://{a}'}]",
       "a resource has either `uri` or `uri_template`"},
      {"resources: [{name: a, uri: 'x://', blob: '%'}]", "`blob` is base64, and instead of `text`"},
      {"resources: [{name: a, uri_template: 'x://{a}{b}'}]",
       "a URI template has {name} alone, and two with text between them"},
      {"resources: [{name: a, uri_template: 'x://{+a}'}]",
       "a URI template has {name} alone, and two with text between them"},
      {"resources: [{name: a, uri_template: 'x://{a}', text: '{{b}}'}]",
       R"("/b" names no variable of the template)"}};
  for (const auto& [text, expected] : cases) {
    const model::KindTypes kinds({});
    const auto document = read_specs(text, "f.yaml", {.kinds = kinds});
    ASSERT_EQ(document.mistakes.size(), 1U) << text;
    EXPECT_EQ(document.mistakes[0].message, expected) << text;
    const auto offers = offers_of(text, "f.yaml");
    EXPECT_TRUE(offers.prompts.empty() && offers.resources.empty()) << text;
  }
}

TEST(Offers, MatchUrisOfATemplate) {
  EXPECT_EQ(match_uri("test://{id}/data", "test://12%20a/data"), (Json{{"id", "12%20a"}}));
  EXPECT_EQ(match_uri("x:{a}-{b}", "x:1-2-3"), (Json{{"a", "1"}, {"b", "2-3"}}));
  for (const char* other : {"test:///data", "test://1/2/data", "test://a\"b/data", "test://1/dat",
                            "test://1/data/", "test://a b/data", ""})
    EXPECT_TRUE(match_uri("test://{id}/data", other).is_null()) << other;
}

}  // namespace
}  // namespace toolway::tools::specs
