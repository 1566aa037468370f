// What happens when the system has no process or descriptor left.
#include "tools/process/shortage.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/os/child.h"
#include "tests/support/awaiting.h"
#include "tests/support/scarce.h"

namespace toolway::tools::process {
namespace {

TEST(Shortage, AProcessIsTriedAgainUntilThereIsRoom) {
  int tries = 0;
  const auto started = start_when_possible("command", {}, [&]() -> Result<void> {
    if (++tries < 3) return fail(ErrorCode::kOverloaded, "no process");
    return {};
  });
  EXPECT_TRUE(started);
  EXPECT_EQ(tries, 3);
}

TEST(Shortage, OtherErrorsAreTold) {
  int tries = 0;
  const auto started = start_when_possible("command", {}, [&]() -> Result<void> {
    ++tries;
    return fail(ErrorCode::kNotFound, "no such program");
  });
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(tries, 1);
}

TEST(Shortage, WhoIsAskedToStopWaitsNoLonger) {
  std::stop_source stop;
  const auto started = start_when_possible("command", stop.get_token(), [&]() -> Result<void> {
    stop.request_stop();
    return fail(ErrorCode::kOverloaded, "no process");
  });
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::kCancelled);
}

TEST(Shortage, IsToldByThoseWhomItMet) {
  EXPECT_TRUE(
      tells_shortage("bwrap: Creating new namespace failed: Resource temporarily unavailable"));
  EXPECT_TRUE(tells_shortage("RuntimeError: can't start new thread"));
  EXPECT_FALSE(tells_shortage("bwrap: execvp nothing: No such file or directory"));
}

TEST(Shortage, WithoutDescriptorsNoChildIsStartedAndThatIsSaid) {
  const os::ChildOptions options{.argv = {"/bin/true"}, .environment = {}};
  {
    const test::NoDescriptors none;
    const auto child = os::Child::start(options);
    ASSERT_FALSE(child);
    EXPECT_EQ(child.error().code, ErrorCode::kOverloaded) << child.error().message;
  }
  EXPECT_TRUE(os::Child::start(options));
}

TEST(Shortage, TheLastDescriptorsAreNotEnough) {
  // Above what a child's files are put aside to, so that it is the number of them that counts.
  std::vector<int> held;
  do held.push_back(dup(0));
  while (held.back() >= 0 && held.back() < 80);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  unsigned failed = 0;
  unsigned ran = 0;
  // One more each time: it fails at each place where it asks for one, and then no more.
  for (rlim_t spare = 1; spare < 16; ++spare) {
    rlimit few = before;
    few.rlim_cur = static_cast<rlim_t>(held.back()) + spare;
    setrlimit(RLIMIT_NOFILE, &few);
    auto child = os::Child::start({.argv = {"/bin/true"}, .environment = {}});
    setrlimit(RLIMIT_NOFILE, &before);
    if (!child) {
      ++failed;
      EXPECT_EQ(child.error().code, ErrorCode::kOverloaded)
          << spare << ": " << child.error().message;
      continue;
    }
    ++ran;
    const auto end = (*child)->wait(test::kPatience);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->status, 0) << spare;
  }
  for (const int file : held) close(file);
  EXPECT_GE(failed, 2U);
  EXPECT_GE(ran, 2U);
}

TEST(Shortage, WithoutProcessesNoChildIsStartedAndThatIsSaid) {
  EXPECT_EQ(test::as_nobody(1,
                            [] {
                              const auto child =
                                  os::Child::start({.argv = {"/bin/true"}, .environment = {}});
                              return !child && child.error().code == ErrorCode::kOverloaded ? 0 : 1;
                            }),
            0);
}

}  // namespace
}  // namespace toolway::tools::process
