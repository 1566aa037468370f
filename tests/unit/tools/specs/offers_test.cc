#include "tools/specs/offers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

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

SpecDocument read(std::string_view text, ReadContent content = {}) {
  const model::KindTypes kinds({});
  return read_specs(text, "f.yaml", {.kinds = kinds, .content = std::move(content)});
}

/// A directory with these files.
ReadContent holding(std::map<std::string, std::string> files) {
  return [files = std::move(files)](std::string_view origin, std::string_view named) {
    EXPECT_EQ(origin, "f.yaml");
    NamedContent content{.file = {.path = std::string(named)}};
    const auto found = files.find(content.file.path);
    if (found != files.end()) content.bytes = found->second;
    if (found == files.end()) content.bytes = fail(ErrorCode::kNotFound, "is not there");
    return content;
  };
}

TEST(Offers, AreReadBesideTools) {
  const auto offers = read(kFile).offers;
  ASSERT_EQ(offers->prompts.size(), 1U);
  const auto& prompt = *offers->prompts[0];
  EXPECT_EQ(prompt.ns, "code");
  ASSERT_EQ(prompt.arguments.size(), 1U);
  EXPECT_TRUE(prompt.arguments[0].required);
  EXPECT_EQ(prompt.arguments[0].values, (std::vector<std::string>{"c", "cpp"}));
  ASSERT_EQ(prompt.asks.size(), 1U);
  EXPECT_TRUE(prompt.asks[0].answer);
  EXPECT_EQ(prompt.messages[0]["content"]["text"], "{{language}} in {{style}}");
  ASSERT_EQ(offers->resources.size(), 2U);
  EXPECT_EQ(offers->resources[0]->ns, "default");
  EXPECT_TRUE(offers->resources[1]->is_template);
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
    const auto document = read(text);
    ASSERT_EQ(document.mistakes.size(), 1U) << text;
    EXPECT_EQ(document.mistakes[0].message, expected) << text;
    EXPECT_TRUE(document.offers->prompts.empty() && document.offers->resources.empty()) << text;
  }
}

TEST(Offers, AResourceIsWhatTheFileThatItNamesHolds) {
  const auto document = read(
      "resources:\n"
      "  - {uri: 'x://a', name: a, file: a.md}\n"
      "  - {uri: 'x://b', name: b, file: b.png}\n"
      "  - {uri: 'x://c', name: c, file: c, mime_type: text/x-mine}\n"
      "  - {uri: 'x://d', name: d, file: d}\n"
      "  - {uri: 'x://e', name: e, file: e}\n"
      "  - {uri_template: 'x://{t}/f', name: f, file: f}\n",
      holding({{"a.md", "A"},
               {"b.png", "\x89PNG"},
               {"c", "C"},
               {"d", std::string("D\0", 2)},
               {"e", ""},
               {"f", "F of {{t}}"}}));
  for (const auto& mistake : document.mistakes) ADD_FAILURE() << mistake.text();
  std::string shown;
  for (const auto& one : document.offers->resources)
    shown += one->mime_type + "|" + one->text + "|" + one->blob + "\n";
  EXPECT_EQ(shown,
            "text/markdown|A|\nimage/png||iVBORw==\ntext/x-mine|C|\n"
            "application/octet-stream||RAA=\ntext/plain||\ntext/plain|F of {{t}}|\n");
  EXPECT_EQ(document.files.size(), 6U);
}

TEST(Offers, SayWhatIsWrongWithNamedFiles) {
  const std::pair<const char*, const char*> cases[] = {
      {"file: a, text: x", "`file` is instead of `text` and `blob`"},
      {"file: a, blob: ''", "`file` is instead of `text` and `blob`"},
      {"file: 1", "`file` must be text: write it in quotes"},
      {"file: b", "`file` \"b\" is not there"}};
  for (const auto& [fields, expected] : cases) {
    const auto document =
        read(fmt::format("resources:\n  - {{uri: 'x://a', name: a,\n     {}}}\n", fields),
             holding({{"a", "A"}}));
    ASSERT_EQ(document.mistakes.size(), 1U) << fields;
    EXPECT_EQ(document.mistakes[0].text(), std::string("f.yaml:3: ") + expected) << fields;
    EXPECT_TRUE(document.offers->resources.empty()) << fields;
  }
  const auto missing = read("resources: [{uri: 'x://a', name: a, file: b}]", holding({}));
  ASSERT_EQ(missing.files.size(), 1U) << "it is looked for, too";
  const auto sent = read("resources: [{uri: 'x://a', name: a, file: /etc/passwd}]");
  ASSERT_EQ(sent.mistakes.size(), 1U);
  EXPECT_EQ(sent.mistakes[0].message, "`file` is for specs in files: write `text` or `blob` here");
}

TEST(Offers, NamedFilesAreBoundedTogether) {
  std::string text = "resources:\n";
  for (int i = 0; i < 9; ++i)
    text += fmt::format("  - {{uri: 'x://{}', name: a, file: large}}\n", i);
  const auto document = read(text, holding({{"large", std::string(4 << 20U, 'x')}}));
  ASSERT_EQ(document.mistakes.size(), 1U);
  EXPECT_EQ(document.mistakes[0].text(),
            "f.yaml:10: the files that resources name here have more than 32 MiB together");
}

TEST(Offers, MatchUrisOfATemplate) {
  EXPECT_EQ(match_uri("test://{id}/data", "test://12%20%c3%A4/data"), (Json{{"id", "12 \u00e4"}}));
  EXPECT_EQ(match_uri("x:{a}-{b}", "x:1-2-3"), (Json{{"a", "1"}, {"b", "2-3"}}));
  for (const char* other :
       {"test:///data", "test://1/2/data", "test://a\"b/data", "test://1/dat", "test://1/data/",
        "test://a b/data", "", "test://%zz/data", "test://a%2/data", "test://%ff/data"})
    EXPECT_TRUE(match_uri("test://{id}/data", other).is_null()) << other;
}

}  // namespace
}  // namespace toolway::tools::specs
