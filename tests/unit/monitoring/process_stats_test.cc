#include "monitoring/process_stats.h"

#include <gtest/gtest.h>

namespace toolway::monitoring {
namespace {

constexpr ProcessUnits kUnits{.ticks_per_second = 100, .page_size = 4096, .boot_time = 1000};

TEST(ProcessStats, ReadsWhatProcSays) {
  const auto stats = parse_process_stat(
      "4711 (a ) (name) S 42 2 3 0 -1 4194304 10 0 0 0 250 50 7 9 20 0 7 0 12345 8192000 500 184467 1 1 0",
      kUnits);
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->parent, 42);
  EXPECT_EQ(stats->user_seconds, 2.5);
  EXPECT_EQ(stats->system_seconds, 0.5);
  EXPECT_EQ(stats->cpu_seconds(), 3.0);
  EXPECT_EQ(stats->children_user_seconds, 0.07);
  EXPECT_EQ(stats->children_system_seconds, 0.09);
  EXPECT_EQ(stats->threads, 7);
  EXPECT_EQ(stats->start_time, 1123.45);
  EXPECT_EQ(stats->virtual_bytes, 8192000);
  EXPECT_EQ(stats->resident_bytes, 500 * 4096);
}

TEST(ProcessStats, SaysNothingOfWhatItCannotRead) {
  for (const char* text : {"", "4711 no name", "4711 (name) S 1 2 3",
                           "4711 (name) S 1 2 3 0 -1 4 x 0 0 0 1 1 0 0 20 0 7 0 1 8 5 1"}) {
    EXPECT_FALSE(parse_process_stat(text, kUnits)) << text;
  }
}

TEST(ProcessStats, AreOfThisProcess) {
  const auto stats = read_process_stats();
  ASSERT_TRUE(stats);
  EXPECT_GE(stats->threads, 1);
  EXPECT_GT(stats->resident_bytes, 1e5);
  EXPECT_GE(stats->open_fds, 3);
  EXPECT_GE(stats->max_fds, stats->open_fds);
  EXPECT_GT(stats->start_time, 1.6e9);
}

}  // namespace
}  // namespace toolway::monitoring
