#include "tools/executors/http/http_retry.h"

#include <gtest/gtest.h>

namespace toolway::tools::executors::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const HttpRetries kPolicy{
    .attempts = 4, .initial_delay = milliseconds(100), .max_delay = milliseconds(1000)};

TEST(HttpRetry, WaitsLongerEachTimeWithFullJitter) {
  const FailedAttempt failed{.kind = "503"};
  const auto delay = [&](unsigned attempts, double random) {
    return next_attempt(kPolicy, failed, {.attempts = attempts, .safe = true, .random = random});
  };
  EXPECT_EQ(delay(1, 1), milliseconds(100));
  EXPECT_EQ(delay(2, 1), milliseconds(200));
  EXPECT_EQ(delay(3, 1), milliseconds(400));
  EXPECT_EQ(delay(3, 0.5), milliseconds(200));
  EXPECT_EQ(delay(3, 0), milliseconds(0));
  EXPECT_EQ(delay(4, 1), std::nullopt);
  HttpRetries many = kPolicy;
  many.attempts = 10;
  EXPECT_EQ(next_attempt(many, failed, {.attempts = 9, .safe = true, .random = 1}),
            milliseconds(1000));
}

TEST(HttpRetry, TriesAgainOnlyWhatIsSafeAndNamed) {
  const auto tries = [](const FailedAttempt& failed, bool safe, HttpRetries policy = kPolicy) {
    return next_attempt(policy, failed, {.safe = safe, .random = 1}).has_value();
  };
  EXPECT_TRUE(tries({.kind = "502"}, true));
  EXPECT_FALSE(tries({.kind = "502"}, false));
  EXPECT_FALSE(tries({.kind = "500"}, true));
  EXPECT_FALSE(tries({.kind = ""}, true));
  EXPECT_TRUE(tries({.kind = "connect", .sent = false}, false)) << "nothing was sent";
  auto policy = kPolicy;
  policy.safe = HttpRetries::Safe::kAlways;
  EXPECT_TRUE(tries({.kind = "502"}, false, policy));
  policy.safe = HttpRetries::Safe::kNever;
  EXPECT_FALSE(tries({.kind = "connect", .sent = false}, true, policy));
  policy = kPolicy;
  policy.on = {"500"};
  EXPECT_TRUE(tries({.kind = "500"}, true, policy));
  EXPECT_FALSE(tries({.kind = "503"}, true, policy));
}

TEST(HttpRetry, HonoursRetryAfterAndTheRunLimit) {
  FailedAttempt failed{.kind = "429", .retry_after = milliseconds(700)};
  EXPECT_EQ(next_attempt(kPolicy, failed, {.safe = true, .random = 0}), milliseconds(700));
  EXPECT_EQ(next_attempt(kPolicy, failed, {.safe = true, .left = milliseconds(701), .random = 0}),
            milliseconds(700));
  EXPECT_EQ(next_attempt(kPolicy, failed, {.safe = true, .left = milliseconds(700), .random = 0}),
            std::nullopt);
  failed.retry_after = milliseconds(1001);
  EXPECT_EQ(next_attempt(kPolicy, failed, {.safe = true, .random = 0}), std::nullopt)
      << "the call's own policy may wait so long";
}

TEST(HttpRetry, ReadsRetryAfter) {
  const auto now =
      std::chrono::system_clock::from_time_t(784111777);  // Sun, 06 Nov 1994 08:49:37 GMT
  EXPECT_EQ(parse_retry_after("120", now), seconds(120));
  EXPECT_EQ(parse_retry_after("0 ", now), seconds(0));
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:50:37 GMT", now), seconds(60));
  EXPECT_EQ(parse_retry_after("Sunday, 06-Nov-94 08:50:37 GMT", now), seconds(60));
  EXPECT_EQ(parse_retry_after("Sun Nov  6 08:50:37 1994", now), seconds(60));
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now), seconds(0));
  EXPECT_EQ(parse_retry_after("Fri, 31 Dec 9999 23:59:59 GMT", now), std::chrono::hours(24));
  EXPECT_EQ(parse_retry_after("99999999999999999999", now), std::chrono::hours(24));
  for (const char* nonsense : {"", " ", "soon", "-1", "1.5x", "\xff"})
    EXPECT_EQ(parse_retry_after(nonsense, now), std::nullopt) << nonsense;
}

TEST(HttpRetry, ADateIsReadByTheClockOfTheServerThatNamesIt) {
  const auto ours = std::chrono::system_clock::from_time_t(784111777 + 3600);  // an hour fast
  const auto theirs = time_of_server("Sun, 06 Nov 1994 08:49:37 GMT", ours);
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:50:37 GMT", theirs), seconds(60));
  EXPECT_EQ(time_of_server("", ours), ours);
  EXPECT_EQ(time_of_server("yesterday, perhaps", ours), ours);
}

}  // namespace
}  // namespace toolway::tools::executors::http
