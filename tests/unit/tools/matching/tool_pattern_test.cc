#include "tools/matching/tool_pattern.h"

#include <gtest/gtest.h>

namespace toolway::tools::matching {
namespace {

TEST(ToolPattern, NamesToolsByNamespaceAndName) {
  EXPECT_TRUE(matches_tool("*", "web.search"));
  EXPECT_TRUE(matches_tool("web.*", "web.search"));
  EXPECT_TRUE(matches_tool("*.search", "web.search"));
  EXPECT_TRUE(matches_tool("w*b.s*r*h", "web.search"));
  EXPECT_TRUE(matches_tool("web.search", "web.search"));
  EXPECT_FALSE(matches_tool("web.search", "web.searching"));
  EXPECT_FALSE(matches_tool("web.*", "webs.search"));
  EXPECT_FALSE(matches_tool("web.se", "web.search"));
  EXPECT_FALSE(matches_tool("*.x", "web.search"));
}

TEST(ToolPattern, OfAnotherFormIsNone) {
  for (const char* pattern : {"", "web", "web.", ".search", "a.b.c", "we b.*", "web.s\n"})
    EXPECT_FALSE(valid_tool_pattern(pattern)) << pattern;
  for (const char* pattern : {"*", "*.*", "web.search", "w-_1.*x"})
    EXPECT_TRUE(valid_tool_pattern(pattern)) << pattern;
}

}  // namespace
}  // namespace toolway::tools::matching
