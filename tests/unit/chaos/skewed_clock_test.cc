#include "tests/chaos/skewed_clock.h"

#include <gtest/gtest.h>

#include <ctime>
#include <fstream>

#include "local/child_process.h"
#include "tests/support/temp_dir.h"

namespace toolway::chaos {
namespace {

using std::chrono::seconds;

/// What a program that is started with the clock sees, less what we see.
long ahead(const SkewedClock& clock, const std::string& output) {
  auto date = local::ChildProcess::start(
      {.argv = {"date", "+%s"}, .environment = clock.environment(), .log_file = output});
  EXPECT_TRUE(date);
  EXPECT_EQ((*date)->wait(seconds(30)), 0);
  std::ifstream in(output);
  long shown = 0;
  for (long value = 0; in >> value;) shown = value;  // the last line: it is appended to
  return shown - static_cast<long>(std::time(nullptr));
}

TEST(ASkewedClock, ShiftsTheTimeOfWhatIsStartedWithIt) {
  const test::TempDir dir;
  const auto clock = SkewedClock::make(dir / "skew");
  ASSERT_TRUE(clock) << clock.error().message;
  EXPECT_FALSE((*clock)->skewed());
  EXPECT_NEAR(static_cast<double>(ahead(**clock, dir / "out")), 0, 5);
  for (const long shift : {3600L, -3600L}) {
    (*clock)->set(seconds(shift));
    EXPECT_TRUE((*clock)->skewed());
    EXPECT_NEAR(static_cast<double>(ahead(**clock, dir / "out")), static_cast<double>(shift), 5);
  }
}

}  // namespace
}  // namespace toolway::chaos
