#include "cli/process/named_file.h"

#include <gtest/gtest.h>

#include "cli/terminal/exit_code.h"

namespace toolway::cli::process {
namespace {

TEST(NamedFile, ThatCannotBeReadIsAMistakeInTheOption) {
  const auto text = read_named_file("/nowhere/f");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "cannot read /nowhere/f: No such file or directory");
  EXPECT_EQ(terminal::exit_code(text.error().code), terminal::kExitUsage);
}

}  // namespace
}  // namespace toolway::cli::process
