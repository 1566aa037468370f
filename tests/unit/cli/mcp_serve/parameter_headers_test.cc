#include "cli/mcp_serve/parameter_headers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace toolway::cli::mcp_serve {
namespace {

constexpr const char* kCall =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
    R"("params":{"name":"x","arguments":{"place":{"region":"north"},"limit":3}}})";

mcp::ToolDefinition tool(const std::string& name, const std::string& properties) {
  return {
      .name = name,
      .title = {},
      .description = {},
      .input_schema = *parse_ordered_json(R"({"type":"object","properties":)" + properties + "}"),
      .output_schema = {},
      .annotations = {}};
}

mcp::ToolDefinition marked(const std::string& name = "x") {
  return tool(name,
              R"({"limit":{"type":"integer","x-mcp-header":"Limit"},"place":{"type":"object",)"
              R"("properties":{"region":{"type":"string","x-mcp-header":"Region"}}}})");
}

std::string page_of(const std::string& name, const std::string& header) {
  return fmt::format(
      R"({{"jsonrpc":"2.0","id":1,"result":{{"tools":[{{"name":"{}","inputSchema":{{"type":"object",)"
      R"("properties":{{"limit":{{"type":"integer","x-mcp-header":"{}"}}}}}}}}]}}}})",
      name, header);
}

ParameterHeaders::List listing(std::vector<mcp::ToolDefinition> tools, int* times = nullptr) {
  return [tools = std::move(tools), times]() -> Result<std::vector<mcp::ToolDefinition>> {
    if (times != nullptr) ++*times;
    return tools;
  };
}

TEST(ParameterHeaders, ACallHasThoseThatItsToolsSchemaNames) {
  ParameterHeaders known;
  EXPECT_FALSE(known.knows("x"));
  EXPECT_TRUE(known.of("x", kCall).empty());
  ASSERT_TRUE(known.learn_all(known.number(), listing({marked(), tool("plain", "{}")})));
  const mcp::Headers expected{{"Mcp-Param-Limit", "3"}, {"Mcp-Param-Region", "north"}};
  EXPECT_EQ(known.of("x", kCall), expected);
  EXPECT_TRUE(known.of("plain", kCall).empty());
  EXPECT_TRUE(known.of("x", "not JSON").empty());
  EXPECT_TRUE(known.knows("never listed")) << "the whole list is known";
}

TEST(ParameterHeaders, APageReplacesWhatItNamesAndNoMore) {
  ParameterHeaders known;
  known.learn(page_of("x", "Old"));
  known.learn(page_of("y", "Other"));
  known.learn(page_of("x", "New"));
  EXPECT_EQ(known.of("x", kCall), (mcp::Headers{{"Mcp-Param-New", "3"}}));
  EXPECT_EQ(known.of("y", kCall), (mcp::Headers{{"Mcp-Param-Other", "3"}}));
  EXPECT_FALSE(known.knows("z"));
  known.learn(R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}})");
  known.learn("not JSON");
  EXPECT_TRUE(known.knows("x"));
}

TEST(ParameterHeaders, ASchemaThatMarksWhatCannotBeAHeaderHasNone) {
  ParameterHeaders known;
  known.learn(page_of("x", "not a header"));
  EXPECT_TRUE(known.knows("x"));
  EXPECT_TRUE(known.of("x", kCall).empty());
}

TEST(ParameterHeaders, ListsOnceForAllThatFoundTheSame) {
  ParameterHeaders known;
  int times = 0;
  const auto before = known.number();
  ASSERT_TRUE(known.learn_all(before, listing({marked()}, &times)));
  ASSERT_TRUE(known.learn_all(before, listing({marked()}, &times)));
  EXPECT_EQ(times, 1);
  ASSERT_TRUE(known.learn_all(known.number(), listing({}, &times)));
  EXPECT_EQ(times, 2);
  EXPECT_TRUE(known.of("x", kCall).empty()) << "it is not listed any more";
}

TEST(ParameterHeaders, WhatWasForgottenIsListedAgain) {
  ParameterHeaders known;
  ASSERT_TRUE(known.learn_all(known.number(), listing({marked()})));
  known.forget();
  EXPECT_FALSE(known.knows("x"));
  const auto changes = [&]() -> Result<std::vector<mcp::ToolDefinition>> {
    known.forget();
    return std::vector{marked()};
  };
  ASSERT_TRUE(known.learn_all(known.number(), changes));
  EXPECT_FALSE(known.knows("another")) << "it changed while it was read";
}

TEST(ParameterHeaders, AListThatFailsIsNotAskedForBeforeEachCall) {
  ParameterHeaders known;
  ASSERT_FALSE(known.learn_all(known.number(), []() -> Result<std::vector<mcp::ToolDefinition>> {
    return fail(ErrorCode::kBusUnavailable, "no");
  }));
  EXPECT_TRUE(known.knows("x"));
  ASSERT_TRUE(known.learn_all(known.number(), listing({marked()})));
  EXPECT_EQ(known.of("x", kCall).size(), 2U);
}

TEST(ParameterHeaders, KeepsNoMoreThanItsBound) {
  ParameterHeaders known;
  const std::string filling(1 << 20, 'n');
  for (int i = 0; i < 5; ++i) known.learn(page_of(filling + std::to_string(i), "Limit"));
  EXPECT_FALSE(known.knows(filling + "0")) << "the newest count more";
  EXPECT_TRUE(known.knows(filling + "4"));
  std::vector<mcp::ToolDefinition> many{marked()};
  for (int i = 0; i < 5; ++i) many.push_back(marked(filling + std::to_string(i)));
  ASSERT_TRUE(known.learn_all(known.number(), listing(many)));
  EXPECT_EQ(known.of("x", kCall).size(), 2U);
  EXPECT_TRUE(known.of(filling + "4", kCall).empty());
}

}  // namespace
}  // namespace toolway::cli::mcp_serve
