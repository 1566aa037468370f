#include "cli/mcp_check/server_lines.h"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

namespace toolway::cli::mcp_check {
namespace {

TEST(ServerLines, KeepsTheLastOnesOfEachServer) {
  const auto lines = std::make_shared<ServerLines>();
  spdlog::logger log("test", lines);
  log.info("MCP server a: Error: DB_URL is not set");
  log.warn("MCP server a: exited with status 1; it is started again in 50 ms");
  log.info("MCP server a: Error: DB_URL is not set, said the next try");
  log.info("another line");
  for (int i = 0; i < 10; ++i) log.info("MCP server b: {}", i);
  EXPECT_EQ(lines->of("a"), std::vector<std::string>{"Error: DB_URL is not set"});
  ASSERT_EQ(lines->of("b").size(), ServerLines::kKept);
  EXPECT_EQ(lines->of("b").back(), "9");
  EXPECT_TRUE(lines->of("c").empty());
}

}  // namespace
}  // namespace toolway::cli::mcp_check
