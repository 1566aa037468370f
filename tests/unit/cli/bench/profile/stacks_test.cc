#include "cli/bench/profile/stacks.h"

#include <gtest/gtest.h>

namespace toolway::cli::bench::profile {
namespace {

constexpr const char* kSend =
    "\n"
    "\tffffffff81e6702c tcp_sendmsg\n"
    "\tffffffff81e314b0 __x64_sys_sendto\n"
    "\tffffffff81000130 entry_SYSCALL_64_after_hwframe\n"
    "\t          10aba4 __send@@GLIBC_2.34\n"
    "\t          6dfa2e toolway::bus::(anonymous namespace)::Jet<int, Map<a, b> >::publish(int)::{lambda()#1}::operator()\n"
    "\t          506275 boost::asio::detail::awaitable_thread<int>::pump\n"
    "\t           d44a2 [unknown]\n"
    "\t           891f4 start_thread\n"
    "\n";

TEST(Stacks, AreFoldedAndTheHeaviestComeFirst) {
  const auto stacks = fold_stacks(std::string("\n\t 48e3 Lock\n\n") + kSend + kSend, 10);
  EXPECT_EQ(stacks.samples, 3U);
  ASSERT_EQ(stacks.heaviest.size(), 2U);
  EXPECT_EQ(stacks.heaviest[0].frames, "[kernel] sendto < __send < bus::Jet::publish");
  EXPECT_DOUBLE_EQ(stacks.heaviest[0].share, 2.0 / 3);
  EXPECT_EQ(stacks.heaviest[1].frames, "Lock");
}

TEST(Stacks, KeepTheInnermostFramesAndTheWantedNumber) {
  std::string deep = "\n";
  for (int i = 0; i < 20; ++i) deep += "\t 48e3 f" + std::to_string(i) + "\n";
  const auto stacks = fold_stacks(deep + "\n\t 1 g\n", 1);
  ASSERT_EQ(stacks.heaviest.size(), 1U);
  EXPECT_EQ(fold_stacks(deep, 1).heaviest[0].frames, "f0 < f1 < f2 < f3 < f4 < f5");
}

TEST(Stacks, OfWhatHasNoNamesAreUnknown) {
  const auto stacks = fold_stacks("\n\t 48e3 [unknown]\n\n\tffffffff81e6702c [unknown]\n", 10);
  ASSERT_EQ(stacks.heaviest.size(), 2U);
  EXPECT_EQ(stacks.heaviest[0].frames, "[kernel]");
  EXPECT_EQ(stacks.heaviest[1].frames, "[unknown]");
  for (const char* text : {"", "\n\n", "Warning: no frames\n", "12", "zz yy\n"})
    EXPECT_EQ(fold_stacks(text, 10).samples, 0U) << text;
}

}  // namespace
}  // namespace toolway::cli::bench::profile
