#include "gateway/api_docs/api_page.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "gateway/wire/documents.h"

namespace toolway::gateway::api_docs {
namespace {

constexpr std::string_view kDocument = R"(openapi: 3.1.0
info: {title: T, version: "1", description: "a <b> & `code`"}
tags: [{name: things, description: Things}]
paths:
  /things/{id}:
    parameters: [{name: id, in: path, required: true, example: t-1, schema: {type: string}}]
    delete:
      operationId: dropThing
      tags: [things]
      summary: Drops it
      responses: {"200": {description: Done, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}}
components:
  schemas:
    Thing: {type: object, required: [name], properties: {name: {type: string, description: What it is called}}}
)";

TEST(ApiPage, ShowsOperationsAndSchemas) {
  const auto page = make_api_page(kDocument, "p{}");
  ASSERT_TRUE(page) << page.error().message;
  for (const auto* part : {"a &lt;b&gt; &amp; <code>code</code>", "<article id=\"dropThing\">",
                           "curl -X DELETE &quot;$TOOLWAY_URL/things/t-1&quot;",
                           "href=\"#schema-Thing\"", "id=\"schema-Thing\"", "What it is called"})
    EXPECT_NE(std::string::npos, page->html.find(part)) << part << '\n' << page->html;
}

TEST(ApiPage, ItsPolicyAllowsItsStyleAndNothingElse) {
  const auto page = make_api_page(kDocument, "p{}");
  ASSERT_TRUE(page);
  // printf 'p{}' | openssl dgst -sha256 -binary | base64
  EXPECT_EQ(
      "default-src 'none'; style-src 'sha256-gG2yISYereRMiG2lMXrbiUgi0Ubw9p7QCeWcroOvy9Y='; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'",
      page->policy);
  EXPECT_NE(std::string::npos, page->html.find("<style>p{}</style>"));
}

TEST(ApiPage, ADocumentThatCannotBeReadIsAnError) {
  EXPECT_EQ(ErrorCode::kInternal, make_api_page("a: [", "").error().code);
}

/// Of the document that every gateway serves.
TEST(ApiPage, LinksLeadSomewhereAndToNoOtherHost) {
  const auto page = make_api_page(wire::openapi_document(), wire::page_style());
  ASSERT_TRUE(page) << page.error().message;
  const auto all = [&](const char* pattern) {
    const std::regex regex(pattern);
    std::multiset<std::string> found;
    for (std::sregex_iterator it(page->html.begin(), page->html.end(), regex), end; it != end; ++it)
      found.insert((*it)[1]);
    return found;
  };
  const auto ids = all(" id=\"([^\"]+)\"");
  for (const auto& id : ids) EXPECT_EQ(1U, ids.count(id)) << id;
  const auto links = all("href=\"#([^\"]+)\"");
  EXPECT_GT(links.size(), 100U);
  for (const auto& link : links) EXPECT_EQ(1U, ids.count(link)) << link;
  for (const auto& link : all("(?:href|src)=\"([^\"#][^\"]*)\"")) EXPECT_EQ("openapi.yaml", link);
  EXPECT_EQ(std::string::npos, page->html.find("<script"));
  EXPECT_EQ(std::string::npos, page->html.find(" style=\""));
  EXPECT_EQ(std::string::npos, std::string(wire::page_style()).find("url("));
}

TEST(FrontPage, LeadsToTheApi) {
  const auto page = make_front_page("1.2.3", "p{}");
  for (const auto* part : {"1.2.3", "href=\"docs\"", "href=\"openapi.yaml\""})
    EXPECT_NE(std::string::npos, page.html.find(part)) << part;
}

}  // namespace
}  // namespace toolway::gateway::api_docs
