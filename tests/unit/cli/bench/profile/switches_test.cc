#include "cli/bench/profile/switches.h"

#include <gtest/gtest.h>

namespace toolway::cli::bench::profile {
namespace {

TEST(Switches, AreReadFromAThreadsStatus) {
  EXPECT_EQ(parse_switches("Name:\tworker\nThreads:\t7\nvoluntary_ctxt_switches:\t150\n"
                           "nonvoluntary_ctxt_switches:\t545\n"),
            (Switches{150, 545}));
  for (const char* text : {"", "Name:\tworker\n", "Name:\tx\nvoluntary_ctxt_switches:\t1\n",
                           "Name:\tx\nnonvoluntary_ctxt_switches:\t1\n",
                           "Name:\tx\nvoluntary_ctxt_switches:\nnonvoluntary_ctxt_switches:\tx\n"})
    EXPECT_FALSE(parse_switches(text)) << text;
}

TEST(SwitchCount, CountsWhatComesAfterTheFirstLook) {
  SwitchCount count;
  count.see(1, {1000, 50});
  count.all_seen();
  EXPECT_EQ(count.total(), (Switches{0, 0}));
  count.see(1, {1010, 51});
  EXPECT_EQ(count.total(), (Switches{10, 1}));
}

TEST(SwitchCount, KeepsAThreadThatEnds) {
  SwitchCount count;
  count.see(1, {1000, 0});
  count.see(2, {5, 0});
  count.all_seen();
  count.see(1, {1007, 0});
  // The first one has ended here.
  count.see(2, {6, 0});
  count.see(2, {8, 0});
  EXPECT_EQ(count.total(), (Switches{10, 0}));
}

TEST(SwitchCount, TakesAllOfAThreadThatBegins) {
  SwitchCount count;
  count.see(1, {1000, 0});
  count.all_seen();
  count.see(9, {30, 2});
  count.see(9, {31, 2});
  EXPECT_EQ(count.total(), (Switches{31, 2}));
}

TEST(SwitchCount, KnowsAThreadThatHasTheIdOfAnother) {
  SwitchCount count;
  count.see(1, {1000, 40});
  count.all_seen();
  count.see(1, {1002, 40});
  count.see(1, {3, 1});
  EXPECT_EQ(count.total(), (Switches{5, 1}));
}

}  // namespace
}  // namespace toolway::cli::bench::profile
