#include "gateway/api_docs/operation_html.h"

#include <gtest/gtest.h>

namespace toolway::gateway::api_docs {
namespace {

TEST(OperationHtml, SaysHowToAskAndWhatComesBack) {
  const auto document = OrderedJson::parse(
      R"({"components":{"parameters":{"Id":{"name":"id","in":"path","example":"t-1","schema":{"type":"string"}}},
          "responses":{"Problem":{"description":"Refused"}}}})");
  const auto item = OrderedJson::parse(R"({"parameters":[{"$ref":"#/components/parameters/Id"}]})");
  const auto operation = OrderedJson::parse(
      R"({"operationId":"put","summary":"Puts `it`",
          "requestBody":{"content":{"application/json":{"schema":{"properties":{"a":{"type":"string"}}},"example":{"a":"it's"}}}},
          "responses":{"201":{"description":"Made","headers":{"etag":{"description":"Its digest"}},
                              "content":{"application/json":{"schema":{"type":"string","examples":["done"]}}}},
                       "default":{"$ref":"#/components/responses/Problem"}}})");
  const std::string path = "/things/{id}";
  const std::string verb = "post";
  const auto html = operation_html(document, {path, verb, item, operation});
  for (const auto* part :
       {"<article id=\"put\">", "Puts <code>it</code>",
        "curl -X POST &quot;$TOOLWAY_URL/things/t-1&quot;",
        "-d &#39;{&quot;a&quot;:&quot;it&#39;\\&#39;&#39;s&quot;}&#39;", "<b>201</b> Made",
        "Its digest", "<pre>done</pre>", "<b>else</b> Refused", "<span>in the path</span>"})
    EXPECT_NE(std::string::npos, html.find(part)) << part << '\n' << html;
}

}  // namespace
}  // namespace toolway::gateway::api_docs
