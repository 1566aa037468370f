#include "cli/demo/demo.h"

#include <gtest/gtest.h>

#include "cli/terminal/exit_code.h"

namespace toolway::cli::demo {
namespace {

TEST(DemoDirectories, AreLookedForTogetherBeforeAnythingStarts) {
  testing::internal::CaptureStderr();
  const int status =
      run_demo({.examples = "/nope/tools", .packs = "/nope/packs"}, terminal::Style(false));
  const auto told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(status, terminal::kExitUsage);
  for (const char* part : {"/nope/tools", "/nope/packs", "--examples DIR and --packs DIR"})
    EXPECT_NE(told.find(part), std::string::npos) << told;
}

}  // namespace
}  // namespace toolway::cli::demo
