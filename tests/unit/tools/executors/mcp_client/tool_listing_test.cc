#include "tools/executors/mcp_client/tool_listing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace toolway::tools::executors::mcp_client {
namespace {

/// An answer with `tools`, and the cursor of the page after it.
std::string page(const std::string& tools, const std::string& cursor = "") {
  return fmt::format(R"({{"jsonrpc": "2.0", "id": 1, "result": {{"tools": [{}]{}}}}})", tools,
                     cursor.empty() ? "" : R"(, "nextCursor": ")" + cursor + '"');
}

std::string tool(const std::string& name) {
  return fmt::format(R"({{"name": "{}", "inputSchema": {{"type": "object"}}}})", name);
}

TEST(ToolListing, PutsPagesTogetherInTheirOrder) {
  ToolListing listing;
  const auto first = listing.take(page(tool("b") + "," + tool("a"), "p2"));
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, ToolListing::Next::kPage);
  EXPECT_EQ(listing.cursor(), "p2");
  const auto last = listing.take(page(tool("c") + R"(, {"name": "no_schema"})"));
  ASSERT_TRUE(last);
  EXPECT_EQ(*last, ToolListing::Next::kDone);
  EXPECT_EQ(listing.cursor(), std::nullopt);
  const auto all = std::move(listing).listed(mcp::Revision::k2026_07_28, {"server", "1"});
  ASSERT_EQ(all.refused.size(), 1U);
  EXPECT_EQ(all.refused[0], "tool 'no_schema' has no inputSchema object");
  EXPECT_EQ(all.server.name, "server");
  std::string names;
  for (const auto& one : all.tools) names += one.name;
  EXPECT_EQ(names, "bac");
}

TEST(ToolListing, RefusesACursorThatComesAgain) {
  ToolListing listing;
  EXPECT_TRUE(listing.take(page(tool("a"), "x")));
  EXPECT_TRUE(listing.take(page(tool("b"), "y")));
  const auto again = listing.take(page(tool("c"), "x"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kInvalidRequest);
  EXPECT_EQ(again.error().message,
            "the list of tools goes in a circle: a page's cursor came twice");
}

TEST(ToolListing, RefusesAListWithoutAnEnd) {
  ToolListing listing;
  for (std::size_t i = 0; i < ToolListing::kMaxPages; ++i)
    ASSERT_TRUE(listing.take(page("", fmt::format("p{}", i)))) << i;
  const auto one_more = listing.take(page(""));
  ASSERT_FALSE(one_more);
  EXPECT_TRUE(one_more.error().message.starts_with("the list of tools has no end (1001 pages"))
      << one_more.error().message;
}

TEST(ToolListing, RefusesMoreToolsThanAClientNeeds) {
  ToolListing listing;
  std::string many = tool("t0");
  for (std::size_t i = 1; i < ToolListing::kMaxTools; ++i)
    many += "," + tool("t" + std::to_string(i));
  ASSERT_TRUE(listing.take(page(many, "p2")));
  const auto one_more = listing.take(page(tool("one_more")));
  ASSERT_FALSE(one_more);
  EXPECT_EQ(one_more.error().message, "the list has more than 10000 tools");
}

TEST(ToolListing, RefusesWhatIsNotAPage) {
  ToolListing listing;
  const auto taken = listing.take(R"({"jsonrpc": "2.0", "id": 1, "result": {}})");
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kInvalidRequest);
}

}  // namespace
}  // namespace toolway::tools::executors::mcp_client
