#include "chat/providers/answer_errors.h"

#include <gtest/gtest.h>

namespace toolway::chat::providers {
namespace {

using namespace std::chrono_literals;

TEST(RetryDelay, FollowsTheServer) {
  const auto now = from_unix_us(1'700'000'000'000'000);
  const auto delay = [&](int status, tools::http::HttpHeaders headers, unsigned tries) {
    return retry_delay(FailedAnswer{.status = status, .headers = std::move(headers)}, tries, now);
  };
  EXPECT_EQ(delay(500, {}, 1), 500ms);
  EXPECT_EQ(delay(500, {}, 2), 1000ms);
  EXPECT_EQ(delay(500, {}, 3), std::nullopt);
  EXPECT_EQ(delay(400, {}, 1), std::nullopt);
  EXPECT_EQ(delay(400, {{"X-Should-Retry", "true"}}, 1), 500ms);
  EXPECT_EQ(delay(529, {{"x-should-retry", "false"}}, 1), std::nullopt);
  EXPECT_EQ(delay(429, {{"retry-after", "2"}}, 1), 2000ms);
  EXPECT_EQ(delay(429, {{"retry-after", "2"}, {"retry-after-ms", "7.5"}}, 1), 7ms);
  EXPECT_EQ(delay(429, {{"retry-after", "61"}}, 1), std::nullopt);
  EXPECT_EQ(delay(429, {{"retry-after", "soon"}}, 1), 500ms);
}

TEST(AnswerErrors, SayHowLongItIsAskedToWaitWhereThatIsATime) {
  const auto now = from_unix_us(1'700'000'000'000'000);
  const auto said = [&](tools::http::HttpHeaders headers) {
    const auto error = error_of({.status = 503, .headers = std::move(headers)}, "KEY", now);
    return error.message.substr(error.message.find(';'));
  };
  EXPECT_EQ(said({{"retry-after", "90"}}), "; it asks to wait 90 s");
  EXPECT_EQ(said({{"retry-after", "90"}, {"retry-after-ms", "1500"}}), "; it asks to wait 1.5 s");
  EXPECT_EQ(said({{"retry-after", "Tue, 14 Nov 2023 22:14:20 GMT"}}), "; it asks to wait 60 s");
  EXPECT_EQ(said({{"retry-after", "Tue, 14 Nov 2023 22:14:20 GMT"},
                  {"date", "Tue, 14 Nov 2023 22:13:50 GMT"}}),
            "; it asks to wait 30 s");
  for (const char* none : {"", "0", "abc", "-5", "soon"})
    EXPECT_EQ(said({{"retry-after", none}}), "; try again later") << none;
}

}  // namespace
}  // namespace toolway::chat::providers
