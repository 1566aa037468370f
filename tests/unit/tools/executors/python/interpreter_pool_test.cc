#include "tools/executors/python/interpreter_pool.h"

#include <gtest/gtest.h>

#include "tests/support/test_clock.h"

namespace toolway::tools::executors::python {
namespace {

using std::chrono::milliseconds;

TEST(InterpreterPool, TriesEverMoreSeldomToStartWhatDoesNotStart) {
  test::StoppedClock clock;
  InterpreterPool pool({.interpreter = "nopython"}, clock);
  for (const int pause_ms : {200, 400, 800, 1600, 3200, 5000, 5000}) {
    ASSERT_TRUE(pool.begin_start());
    pool.not_started(Error{ErrorCode::kNotFound, "no such file"});
    clock.advance(milliseconds(pause_ms - 1));
    EXPECT_FALSE(pool.begin_start()) << pause_ms;
    EXPECT_EQ(pool.rest(true), milliseconds(2)) << pause_ms;
    clock.advance(milliseconds(1));
  }
  const auto taken = pool.take({});
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, "python_unavailable");
  EXPECT_EQ(taken.error().message, "interpreter 'nopython' does not start: no such file");
}

}  // namespace
}  // namespace toolway::tools::executors::python
