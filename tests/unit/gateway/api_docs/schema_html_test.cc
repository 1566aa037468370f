#include "gateway/api_docs/schema_html.h"

#include <gtest/gtest.h>

namespace toolway::gateway::api_docs {
namespace {

OrderedJson parsed(const char* text) { return OrderedJson::parse(text); }

TEST(SchemaHtml, SaysTypesInWords) {
  EXPECT_EQ("string or null", type_html(parsed(R"({"type":["string","null"]})")));
  EXPECT_EQ("array of <a href=\"#schema-Call\">Call</a>",
            type_html(parsed(R"({"type":"array","items":{"$ref":"#/components/schemas/Call"}})")));
  EXPECT_EQ("<code>&quot;a&quot;</code> | <code>null</code>",
            type_html(parsed(R"({"enum":["a",null]})")));
  EXPECT_EQ("integer or <a href=\"#schema-B\">B</a>",
            type_html(parsed(R"({"anyOf":[{"type":"integer"},{"$ref":"#/x/B"}]})")));
  EXPECT_EQ("anything", type_html(parsed("{}")));
}

TEST(SchemaHtml, ListsMembersWithWhatBoundsThem) {
  const auto html = members_html(parsed(
      R"({"required":["n"],"properties":{"n":{"type":"integer","minimum":1,"description":"a <n>"},
          "o":{"type":"object","properties":{"inner":{"type":"string","default":"x"}}}}})"));
  for (const auto* part :
       {"<code>n</code> <i>integer</i> <b>always</b>", "a &lt;n&gt;", "at least <code>1</code>",
        "<code>inner</code>", "default <code>&quot;x&quot;</code>"})
    EXPECT_NE(std::string::npos, html.find(part)) << part << '\n' << html;
  EXPECT_EQ(std::string::npos, html.find("<code>o</code> <i>object</i> <b>"));
}

TEST(SchemaHtml, PartsOfAWholeAreAllShown) {
  const auto html = members_html(
      parsed(R"({"allOf":[{"$ref":"#/x/Base"},{"properties":{"more":{"type":"boolean"}}}]})"));
  EXPECT_NE(std::string::npos, html.find("#schema-Base"));
  EXPECT_NE(std::string::npos, html.find("<code>more</code>"));
  EXPECT_EQ("", members_html(parsed(R"({"type":"string"})")));
}

TEST(SchemaHtml, FindsTheFirstExample) {
  EXPECT_EQ(nullptr, example_of(parsed(R"({"examples":[]})")));
  const auto schema = parsed(R"({"examples":[1,2]})");
  ASSERT_NE(nullptr, example_of(schema));
  EXPECT_EQ(1, *example_of(schema));
  EXPECT_EQ("<pre>{\n  &quot;a&quot;: 1\n}</pre>", example_html(parsed(R"({"a":1})")));
}

}  // namespace
}  // namespace toolway::gateway::api_docs
