#include "tools/process/process_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "tests/support/awaiting.h"
#include "tests/support/scarce.h"
#include "tests/support/temp_dir.h"

namespace toolway::tools::process {
namespace {

/// Whether it has ended, waited for or not.
bool ended(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return !(file >> number >> name >> state) || state == "Z";
}

TEST(ProcessTree, IsKilledWithWhatHasLeftItsGroupWithoutADescriptor) {
  const test::TempDir directory;
  const auto told = (directory.path() / "pid").string();
  auto child = os::Child::start(
      {.argv = {"sh", "-c", "setsid sleep 600 & echo $! > \"$0.new\"; mv \"$0.new\" \"$0\"; wait",
                told},
       .environment = {"PATH=/usr/local/bin:/usr/bin:/bin"}});
  ASSERT_TRUE(child) << child.error().message;
  pid_t pid = 0;
  const auto until = std::chrono::steady_clock::now() + test::kPatience;
  while (pid == 0 && std::chrono::steady_clock::now() < until) std::ifstream(told) >> pid;
  ASSERT_GT(pid, 0);
  test::NoDescriptors none;
  const auto found = descendants((*child)->pid());
  EXPECT_NE(std::ranges::find(found, pid), found.end());
  EXPECT_TRUE(kill_tree(**child, test::kPatience));
  EXPECT_LT(dup(0), 0) << "what was held in reserve is held again";
  none.give_back();
  while (!ended(pid) && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_TRUE(ended(pid));
}

}  // namespace
}  // namespace toolway::tools::process
