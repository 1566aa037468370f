#include "cli/bench/profile/perf.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "tests/support/temp_dir.h"

namespace toolway::cli::bench::profile {
namespace {

/// Makes `perf` what a program of Python does, for as long as it lives.
class FakePerf {
 public:
  explicit FakePerf(const std::string& program) : before_(getenv("PATH")) {
    const auto file = directory_ / "perf";
    std::ofstream(file) << "#!/usr/bin/env python3\nimport signal, sys\n" << program;
    EXPECT_EQ(chmod(file.c_str(), 0700), 0);
    setenv("PATH", (directory_.path().string() + ":" + before_).c_str(), 1);
  }
  ~FakePerf() { setenv("PATH", before_.c_str(), 1); }
  FakePerf(const FakePerf&) = delete;
  FakePerf& operator=(const FakePerf&) = delete;

 private:
  const test::TempDir directory_;
  const std::string before_;
};

/// Takes orders as perf does, and writes when it is interrupted which ones these were.
constexpr const char* kWorking = R"(
output = sys.argv[sys.argv.index("-o" if "-o" in sys.argv else "-i") + 1]
if sys.argv[1] == "script":
    print("\n\t 48e3 natsMutex_Lock\n")
    sys.exit(0)
orders, answers = next(a for a in sys.argv if a.startswith("--control=fifo:"))[15:].split(",")
taken = []
def end(*_):
    with open(output, "w") as file:
        file.write("# started\n\n%d,,raw_syscalls:sys_enter,1,100.00,,\n" % (700 if taken == ["disable", "enable", "disable"] else 0))
    sys.exit(0)
signal.signal(signal.SIGINT, end)
with open(orders) as source, open(answers, "w") as sink:
    for line in source:
        taken.append(line.strip())
        sink.write("ack\n")
        sink.flush()
)";

Seen look(const Pids& pids) {
  const test::TempDir directory;
  PerfWatch perf(pids, directory.path());
  perf.begin();
  perf.end();
  return perf.result();
}

TEST(PerfWatch, CountsAndSamplesFromBeginToEnd) {
  const FakePerf fake(kWorking);
  const auto seen = look({{"gateway", {getpid()}}, {"nats", {getpid()}}, {kClient, {getpid()}}});
  EXPECT_EQ(seen.system_calls,
            (std::map<std::string, double>{{"client", 700}, {"gateway", 700}, {"nats", 700}}));
  ASSERT_EQ(seen.stacks.size(), 1U) << "only Toolway's processes have symbols that say something";
  EXPECT_EQ(seen.stacks.at("gateway").heaviest.at(0).frames, "natsMutex_Lock");
  EXPECT_TRUE(seen.missing.empty()) << seen.missing.front();
}

TEST(PerfWatch, SaysOnceWhyItMayNot) {
  const FakePerf fake(
      "print('Error:\\nAccess to performance monitoring is limited.', file=sys.stderr)\n"
      "sys.exit(255)\n");
  const auto seen = look({{"gateway", {getpid()}}, {"worker", {getpid()}}});
  EXPECT_TRUE(seen.system_calls.empty());
  EXPECT_TRUE(seen.stacks.empty());
  ASSERT_EQ(seen.missing.size(), 2U);
  EXPECT_TRUE(seen.missing[0].starts_with(
      "system calls are not shown: Access to performance monitoring is limited.; run this as root"))
      << seen.missing[0];
  EXPECT_TRUE(seen.missing[1].starts_with("stacks are not shown: ")) << seen.missing[1];
}

TEST(PerfWatch, SaysThatItIsNotInstalled) {
  const test::TempDir empty;
  const std::string before = getenv("PATH");
  setenv("PATH", empty.path().c_str(), 1);
  const auto seen = look({{"gateway", {getpid()}}});
  setenv("PATH", before.c_str(), 1);
  ASSERT_EQ(seen.missing.size(), 2U);
  EXPECT_EQ(seen.missing[0],
            "system calls are not shown: perf is not installed; Debian has it in the package "
            "linux-perf");
}

TEST(Perf, ReadsACount) {
  EXPECT_EQ(parse_count("# started on Mon\n\n5012,,raw_syscalls:sys_enter,231935,100.00,,\n"),
            5012);
  for (const char* text :
       {"", "# started\n", "<not counted>,,raw_syscalls:sys_enter,0,0.00,,\n", "12\n"})
    EXPECT_FALSE(parse_count(text)) << text;
}

TEST(Perf, GivesItsReason) {
  EXPECT_EQ(refusal_of("event syntax error: 'x'\n\nError:\tNo permissions to read /sys\nHint: y\n"),
            "No permissions to read /sys");
  EXPECT_EQ(refusal_of("Error:\nAccess is limited.\nmore\n"), "Access is limited.");
  EXPECT_EQ(refusal_of("Problems finding threads of monitor\n\n usage"),
            "Problems finding threads of monitor");
  EXPECT_EQ(refusal_of("\n"), "it does not say why");
}

}  // namespace
}  // namespace toolway::cli::bench::profile
