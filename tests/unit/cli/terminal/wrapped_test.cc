#include "cli/terminal/wrapped.h"

#include <gtest/gtest.h>

namespace toolway::cli::terminal {
namespace {

TEST(Wrapped, WrapsBetweenWords) {
  EXPECT_EQ(wrapped("one two three four", 9, 2), "one two\n  three\n  four");
  EXPECT_EQ(wrapped("unbreakable", 4, 2), "unbreakable");
}

}  // namespace
}  // namespace toolway::cli::terminal
