#include "cli/process/pools.h"

#include <gtest/gtest.h>

namespace toolway::cli::process {
namespace {

std::string refusal_of_partitions(const std::string& text) {
  const auto parsed = parse_partitions({text});
  return parsed ? "accepted" : parsed.error().message;
}

TEST(Pools, HavePartitionsThatArePowersOfTwo) {
  const auto parsed = parse_partitions({"native=4", "gpu=256"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->at(0).name, "native");
  EXPECT_EQ(parsed->at(0).number, 4U);
  EXPECT_EQ(parsed->at(1).number, 256U);
  for (const char* wrong : {"native=0", "native=3", "native=512", "native=x", "native="})
    EXPECT_EQ(refusal_of_partitions(wrong),
              std::string("--partitions ") + wrong + ": a pool has 1, 2, 4 … 256 partitions");
  EXPECT_EQ(refusal_of_partitions("native"), "--partitions native: must be POOL=N");
  EXPECT_FALSE(parse_partitions({"native=4", "native=8"}));
}

}  // namespace
}  // namespace toolway::cli::process
