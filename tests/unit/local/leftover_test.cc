#include "local/leftover.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_dir.h"

namespace toolway::local {
namespace {

TEST(Leftover, TheTailOfALogBeginsWithALineOfThisRun) {
  const test::TempDir dir;
  const std::string log = dir / "log";
  EXPECT_EQ(size_of(log), 0U);
  EXPECT_EQ(tail_since(log, 0), "");
  std::ofstream(log) << "error of yesterday\n";
  const auto from = size_of(log);
  EXPECT_EQ(from, 19U);
  EXPECT_EQ(tail_since(log, from), "");
  std::ofstream(log, std::ios::app) << "error of today\nand more\n";
  EXPECT_EQ(tail_since(log, from), "error of today\nand more");
  EXPECT_EQ(tail(log), "error of yesterday\nerror of today\nand more");
  EXPECT_EQ(tail(log, 12), "and more") << "not from the middle of a line";
  EXPECT_EQ(tail_since(log, 1000), "") << "the log was made again";
}

}  // namespace
}  // namespace toolway::local
