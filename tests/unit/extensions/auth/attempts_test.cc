#include "extensions/auth/attempts.h"

#include <gtest/gtest.h>

namespace toolway::extensions::auth {
namespace {

using Turn = Attempts::Turn;

TEST(TokenAttempts, WrongOnesOfAnAddressRunOut) {
  Attempts attempts;
  MonotonicTime now{};
  int begun = 0;
  for (int i = 0; i < 2000; ++i) {
    now += std::chrono::microseconds(500);
    if (attempts.begin(1, now) != Turn::kBegun) continue;
    ++begun;
    attempts.ended(1, Attempts::End::kWrong, now);
  }
  EXPECT_LE(begun, 51);  // a burst of 40, and 10 in the second that it took
  EXPECT_EQ(attempts.begin(1, now), Turn::kRefused);
  EXPECT_EQ(attempts.begin(2, now), Turn::kBegun);
}

TEST(TokenAttempts, ThoseBegunAtOnceArePaidForLater) {
  Attempts attempts;
  const MonotonicTime now{};
  for (int round = 0; round < 2; ++round) {
    for (unsigned i = 0; i < Attempts::kAtOnce; ++i) (void)attempts.begin(1, now);
    for (unsigned i = 0; i < Attempts::kAtOnce; ++i) attempts.ended(1, Attempts::End::kWrong, now);
  }
  EXPECT_EQ(attempts.begin(1, now + std::chrono::seconds(2)), Turn::kRefused);
  EXPECT_EQ(attempts.begin(1, now + std::chrono::seconds(3)), Turn::kBegun);
}

TEST(TokenAttempts, RightOnesOnlyWaitForEachOther) {
  Attempts attempts;
  const MonotonicTime now{};
  for (unsigned i = 0; i < Attempts::kAtOnce; ++i) EXPECT_EQ(attempts.begin(1, now), Turn::kBegun);
  EXPECT_EQ(attempts.begin(1, now), Turn::kWaits);
  attempts.ended(1, Attempts::End::kRight, now);
  EXPECT_EQ(attempts.begin(1, now), Turn::kBegun);
  for (unsigned i = 0; i < Attempts::kAtOnce; ++i) attempts.ended(1, Attempts::End::kRight, now);
  EXPECT_EQ(attempts.addresses(), 0U);
}

}  // namespace
}  // namespace toolway::extensions::auth
