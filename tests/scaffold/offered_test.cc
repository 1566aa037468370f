#include <gtest/gtest.h>

#include "tools/builtin/builtin.h"

namespace toolway::tools {
namespace {

// The build that found the header offers its tool like any other of the build.
TEST(NewNativeTool, IsFoundByTheBuild) {
  const auto registry = builtin::builtin_registry({.root = "."});
  ASSERT_TRUE(registry) << registry.error().message;
  EXPECT_NE((*registry)->find("made", "get-user"), nullptr);
  EXPECT_EQ((*(*registry)->execute("made.get-user", R"({"text": "größe"})"))["characters"], 5);
}

}  // namespace
}  // namespace toolway::tools
