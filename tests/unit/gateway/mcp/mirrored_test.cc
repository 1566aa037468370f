#include "gateway/mcp/mirrored.h"

#include <gtest/gtest.h>

namespace toolway::gateway::mcp {
namespace {

std::optional<std::string> wrong(const char* arguments, std::vector<wire::HeaderLine> lines) {
  static const auto mirrored = *toolway::mcp::mirrored_parameters(OrderedJson::parse(R"({
      "type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "in": {"type": "object", "properties": {"dry": {"type": "boolean", "x-mcp-header": "Dry"}}},
        "limit": {"type": "integer", "x-mcp-header": "Limit"}}})"));
  const wire::RequestHead head{.method = "POST", .target = "/mcp", .lines = std::move(lines)};
  return wrong_mirror(mirrored, Json::parse(arguments), head);
}

TEST(Mirrored, TheyAgree) {
  EXPECT_FALSE(wrong("{}", {}));
  EXPECT_FALSE(wrong(R"({"region": null})", {}));
  EXPECT_FALSE(
      wrong(R"({"region": "eu", "limit": 42, "in": {"dry": true}})",
            {{"mcp-param-region", "eu"}, {"Mcp-Param-Limit", "42.0"}, {"MCP-PARAM-DRY", "true"}}));
  EXPECT_FALSE(wrong(R"({"region": " a "})", {{"Mcp-Param-Region", "=?base64?IGEg?="}}));
}

TEST(Mirrored, WhatDiffersIsNamed) {
  EXPECT_EQ(wrong(R"({"region": "eu"})", {}), "the header Mcp-Param-Region is missing");
  EXPECT_EQ(wrong(R"({"region": "eu"})", {{"Mcp-Param-Region", "us"}}),
            "the header Mcp-Param-Region is not what the arguments say");
  EXPECT_EQ(wrong("{}", {{"Mcp-Param-Region", "us"}}),
            "the header Mcp-Param-Region has a value, and the arguments have none");
  EXPECT_EQ(wrong(R"({"region": "eu"})", {{"Mcp-Param-Region", "eu"}, {"mcp-param-region", "us"}}),
            "the header Mcp-Param-Region is there more than once");
  EXPECT_EQ(wrong(R"({"region": "Hello"})", {{"Mcp-Param-Region", "=?base64?SGVs!!!bG8=?="}}),
            "the header Mcp-Param-Region is not base64");
  for (const char* limit : {"", "43", "42x", "0x2a", "4 2", "nan", "true"})
    EXPECT_TRUE(wrong(R"({"limit": 42})", {{"Mcp-Param-Limit", limit}})) << limit;
  EXPECT_TRUE(wrong(R"({"in": {"dry": true}})", {{"Mcp-Param-Dry", "True"}}));
}

}  // namespace
}  // namespace toolway::gateway::mcp
