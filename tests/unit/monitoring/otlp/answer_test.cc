#include "monitoring/otlp/answer.h"

#include <gtest/gtest.h>

namespace toolway::monitoring::otlp {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(OtlpAnswer, OnlyWhatTheSpecificationNamesIsTriedAgain) {
  for (const unsigned status : {0U, 429U, 502U, 503U, 504U}) {
    EXPECT_EQ(judge({.status = status}), Reception::kTryAgain) << status;
  }
  for (const unsigned status : {200U, 202U, 204U})
    EXPECT_EQ(judge({.status = status}), Reception::kTaken) << status;
  for (const unsigned status : {301U, 400U, 401U, 404U, 413U, 500U, 501U}) {
    EXPECT_EQ(judge({.status = status}), Reception::kRefused) << status;
  }
}

TEST(OtlpAnswer, CountsWhatWasRejected) {
  const auto rejected = [](std::string body) {
    return rejected_spans({.status = 200, .body = std::move(body)});
  };
  EXPECT_EQ(rejected(R"({"partialSuccess":{"rejectedSpans":"7","errorMessage":"too old"}})"), 7U);
  EXPECT_EQ(rejected(R"({"partialSuccess":{"rejectedSpans":7}})"), 7U);
  for (const char* nothing :
       {"", "{}", "[]", "<html>", R"({"partialSuccess":null})", R"({"partialSuccess":{}})",
        R"({"partialSuccess":{"rejectedSpans":-1}})",
        R"({"partialSuccess":{"rejectedSpans":"-1"}})",
        R"({"partialSuccess":{"rejectedSpans":"7x"}})"}) {
    EXPECT_EQ(rejected(nothing), 0U) << nothing;
  }
}

TEST(OtlpAnswer, WaitsLongerEachTimeUpToABound) {
  const OtlpRetries retries{.first = milliseconds(1000), .most = milliseconds(15'000)};
  EXPECT_EQ(pause_before_retry(retries, {}, 1, 1.0), milliseconds(1000));
  EXPECT_EQ(pause_before_retry(retries, {}, 1, 0.0), milliseconds(500));
  EXPECT_EQ(pause_before_retry(retries, {}, 4, 1.0), milliseconds(8000));
  EXPECT_EQ(pause_before_retry(retries, {}, 5, 1.0), milliseconds(15'000));
  EXPECT_EQ(pause_before_retry(retries, {}, 4'000'000'000U, 1.0), milliseconds(15'000));
}

TEST(OtlpAnswer, WaitsAsLongAsTheReceiverAsks) {
  const OtlpRetries retries{.first = milliseconds(1000), .most = milliseconds(15'000)};
  EXPECT_EQ(pause_before_retry(retries, {.status = 429, .retry_after = seconds(7)}, 1, 0.3),
            milliseconds(7000));
  EXPECT_EQ(pause_before_retry(retries, {.status = 503, .retry_after = seconds::max()}, 1, 0.3),
            milliseconds(15'000));
}

}  // namespace
}  // namespace toolway::monitoring::otlp
