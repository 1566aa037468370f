#include "cli/bench/profile/machine_time.h"

#include <gtest/gtest.h>

namespace toolway::cli::bench::profile {
namespace {

TEST(MachineTime, IsThatOfAllCores) {
  const auto time =
      parse_machine_time("cpu  100 20 30 800 50 1 2 3 7 8\ncpu0 1 1 1 1 1 1 1 1 0 0\n");
  ASSERT_TRUE(time);
  EXPECT_EQ(time->busy, 156);
  EXPECT_EQ(time->total, 1006);
  for (const char* text : {"", "cpu0 1 2 3 4 5 6 7 8\n", "cpu  1 2 3\n", "cpu  1 2 3 x 5 6 7 8\n"})
    EXPECT_FALSE(parse_machine_time(text)) << text;
}

}  // namespace
}  // namespace toolway::cli::bench::profile
