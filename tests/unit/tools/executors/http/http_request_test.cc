#include "tools/executors/http/http_request.h"

#include <gtest/gtest.h>

#include <map>

namespace toolway::tools::executors::http {
namespace {

const char* const kSchema =
    R"({"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}, "depth": {"type": "integer"}}})";

model::ToolResult<BuiltRequest> built(const std::string& config, const std::string& text,
                                      const std::string& id = "id-1") {
  const auto read = parse_http_config(*parse_ordered_json(config), *parse_ordered_json(kSchema));
  EXPECT_TRUE(read) << config;
  if (!read) return tl::unexpected(model::ToolError("no config", config));
  return build_request(*read, Json{{"text", text}}, id,
                       [](const std::string& name) -> std::optional<std::string> {
                         if (name == "KEY") return "s3cret";
                         return std::nullopt;
                       });
}

TEST(HttpRequest, PutsEachArgumentWhereItStays) {
  const auto made = built(
      R"({"url": "https://api.example.com/v1/{text}", "query": {"q": "{text}", "d": "{depth?}"}})",
      "a b/c&d");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->request.method, "GET");
  EXPECT_EQ(made->request.url, "https://api.example.com/v1/a%20b%2Fc%26d?q=a%20b%2Fc%26d");
  EXPECT_FALSE(made->request.body);
  EXPECT_TRUE(made->secrets.empty());
}

TEST(HttpRequest, KnowsWhichHeadersHoldSecrets) {
  const auto made = built(
      R"({"url": "https://api.example.com", "headers": {"X-Text": "{text}", "X-Key": "k {secret:KEY}"}, "auth": {"bearer": "KEY"}})",
      "a");
  ASSERT_TRUE(made);
  using Holds = tools::http::HttpHeader::Holds;
  std::map<std::string, std::pair<std::string, Holds>> headers;
  for (const auto& header : made->request.headers)
    headers[header.name] = {header.value, header.holds};
  EXPECT_EQ(headers["X-Text"], std::pair(std::string("a"), Holds::kPlain));
  EXPECT_EQ(headers["X-Key"], std::pair(std::string("k s3cret"), Holds::kSecret));
  EXPECT_EQ(headers["Authorization"], std::pair(std::string("Bearer s3cret"), Holds::kSecret));
  ASSERT_FALSE(made->secrets.empty());
  for (const auto& secret : made->secrets) EXPECT_EQ(secret, "s3cret");
}

TEST(HttpRequest, WritesABodyWithItsType) {
  const auto made = built(
      R"({"url": "https://api.example.com", "method": "POST", "body": {"json": {"a": ["{text}", 1]}}})",
      "\"x");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->request.body, R"({"a":["\"x",1]})");
  const auto* type = tools::http::find_header(made->request.headers, "content-type");
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(*type, "application/json");
}

TEST(HttpRequest, SendsANullThatIsGiven) {
  const auto read = parse_http_config(
      *parse_ordered_json(
          R"({"url": "https://api.example.com", "method": "POST",
              "body": {"raw": "{text}", "content_type": "application/json"}})"),
      *parse_ordered_json(R"({"required": ["text"], "properties": {"text": {}}})"));
  ASSERT_TRUE(read);
  const auto made = build_request(*read, Json{{"text", nullptr}}, "id", {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->request.body, "null");
  const auto* type = tools::http::find_header(made->request.headers, "content-type");
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(*type, "application/json");
}

TEST(HttpRequest, CarriesTheIdempotencyKeyOnlyWhereItIsWanted) {
  const auto wanted =
      built(R"({"url": "https://api.example.com", "method": "POST", "idempotency_key": "X-Idem"})",
            "a", "id-7");
  ASSERT_TRUE(wanted);
  const auto* key = tools::http::find_header(wanted->request.headers, "x-idem");
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(*key, "id-7");
  const auto without = built(R"({"url": "https://api.example.com", "method": "POST"})", "a");
  ASSERT_TRUE(without);
  for (const auto& header : without->request.headers) EXPECT_NE(header.value, "id-1");
}

TEST(HttpRequest, AMissingSecretIsTheOperatorsConcern) {
  const auto made =
      built(R"({"url": "https://api.example.com", "auth": {"bearer": "OTHER"}})", "a");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, "secret_missing");
  EXPECT_NE(made.error().message.find("TOOLWAY_SECRET_OTHER"), std::string::npos)
      << made.error().message;
}

TEST(HttpRequest, AWholeUrlMayOnlyNameHostsOfTheTool) {
  const std::string config = R"({"url": "{text}", "allowed_hosts": ["api.example.com"]})";
  const auto made = built(config, "https://api.example.com/x?y=1");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->request.url, "https://api.example.com/x?y=1");
  const auto other = built(config, "https://elsewhere.example/x");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, "invalid_arguments");
  EXPECT_NE(other.error().message.find("elsewhere.example"), std::string::npos);
  EXPECT_FALSE(built(config, "no URL"));
}

}  // namespace
}  // namespace toolway::tools::executors::http
