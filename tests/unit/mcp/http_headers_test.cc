#include <gtest/gtest.h>

#include "mcp/client_messages.h"
#include "mcp/http_headers.h"

namespace toolway::mcp {
namespace {

OrderedJson object_with(OrderedJson properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

TEST(McpHeaders, ValuesThatAHeaderCannotCarryAreEncoded) {
  EXPECT_EQ(header_value("us-west1"), "us-west1");
  EXPECT_EQ(header_value(" padded "), "=?base64?IHBhZGRlZCA=?=");
  EXPECT_EQ(header_value("line1\nline2"), "=?base64?bGluZTEKbGluZTI=?=");
  EXPECT_EQ(header_value("Hello, 世界"), "=?base64?SGVsbG8sIOS4lueVjA==?=");
  EXPECT_EQ(header_value("=?base64?literal?="), "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
}

TEST(McpHeaders, FollowTheRevision) {
  const ToolCall call{.name = "get\r\nweather"};
  const ClientMessages old(Revision::k2025_06_18, {"toolway", "1"});
  EXPECT_TRUE(
      request_headers(Revision::k2025_06_18, "initialize", old.initialize(1).params).empty());
  EXPECT_EQ(request_headers(Revision::k2025_06_18, "tools/call", old.call_tool(1, call).params),
            (Headers{{"MCP-Protocol-Version", "2025-06-18"}}));
  const ClientMessages modern(Revision::k2026_07_28, {"toolway", "1"});
  EXPECT_EQ(request_headers(Revision::k2026_07_28, "tools/call", modern.call_tool(1, call).params),
            (Headers{{"MCP-Protocol-Version", "2026-07-28"},
                     {"Mcp-Method", "tools/call"},
                     {"Mcp-Name", "=?base64?Z2V0DQp3ZWF0aGVy?="}}));
}

TEST(McpHeaders, ParametersAreMirroredFromWhereTheyStand) {
  const auto parameters = mirrored_parameters(object_with(
      {{"region", {{"type", "string"}, {"x-mcp-header", "Region"}}},
       {"deep", object_with({{"count", {{"type", "integer"}, {"x-mcp-header", "Count"}}}})},
       {"plain", {{"type", "string"}}}}));
  ASSERT_TRUE(parameters) << parameters.error().message;
  EXPECT_EQ(
      mirrored_headers(*parameters, {{"region", "eu"}, {"deep", {{"count", 3}}}, {"plain", "x"}}),
      (Headers{{"Mcp-Param-Region", "eu"}, {"Mcp-Param-Count", "3"}}));
  EXPECT_TRUE(mirrored_headers(*parameters, {{"region", nullptr}}).empty());
  EXPECT_TRUE(mirrored_headers(*parameters, Json::object()).empty());
}

TEST(McpHeaders, ASchemaThatMirrorsWhatItMustNotIsRefused) {
  const OrderedJson header{{"type", "string"}, {"x-mcp-header", "H"}};
  for (const auto& schema :
       {object_with({{"a", {{"type", "number"}, {"x-mcp-header", "H"}}}}),
        object_with({{"a", {{"type", "string"}, {"x-mcp-header", ""}}}}),
        object_with({{"a", {{"type", "string"}, {"x-mcp-header", "a\r\nb"}}}}),
        object_with({{"a", {{"type", "string"}, {"x-mcp-header", 5}}}}),
        object_with({{"a", header}, {"b", {{"type", "string"}, {"x-mcp-header", "h"}}}}),
        object_with({{"a", {{"type", "array"}, {"items", header}}}}),
        OrderedJson{{"type", "object"}, {"anyOf", {object_with({{"a", header}})}}}}) {
    EXPECT_FALSE(mirrored_parameters(schema)) << schema.dump();
  }
}

TEST(McpHeaders, SessionIdsAreVisibleAscii) {
  EXPECT_TRUE(valid_session_id("1868a90c-x"));
  for (const std::string& wrong : {std::string(), std::string("a b"), std::string("a\r\nb"),
                                   std::string("ü"), std::string(2000, 'x')}) {
    EXPECT_FALSE(valid_session_id(wrong));
  }
}

}  // namespace
}  // namespace toolway::mcp
