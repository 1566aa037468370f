#include "extensions/services/webhook.h"

#include <gtest/gtest.h>

namespace toolway::extensions::services {
namespace {

/// The example that the libraries of Standard Webhooks test themselves with.
constexpr const char* kSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr const char* kId = "msg_p5jXN8AQM9LWM0D4loKWxJek";
constexpr const char* kBody = R"({"test": 2432232314})";
constexpr std::int64_t kAt = 1614265330;
constexpr const char* kSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

TEST(Webhook, SignsAsTheStandardSays) {
  const auto key = webhook_key(kSecret);
  ASSERT_TRUE(key);
  EXPECT_EQ(webhook_signature(*key, kId, kAt, kBody), kSignature);
}

TEST(Webhook, HeadersHaveASignatureByEachKey) {
  const std::vector<std::string> keys{*webhook_key(kSecret), std::string(32, 'k')};
  const auto headers = webhook_headers(keys, kId, from_unix_us(kAt * 1'000'000 + 999'999), kBody);
  EXPECT_EQ(*tools::http::find_header(headers, "webhook-id"), kId);
  EXPECT_EQ(*tools::http::find_header(headers, "webhook-timestamp"), std::to_string(kAt));
  const auto& signatures = *tools::http::find_header(headers, "webhook-signature");
  EXPECT_EQ(signatures.substr(0, signatures.find(' ')), kSignature);
  EXPECT_EQ(signatures.substr(signatures.find(' ') + 1),
            webhook_signature(keys[1], kId, kAt, kBody));
}

TEST(Webhook, RefusesOtherTextsWithoutShowingThem) {
  for (const char* secret :
       {"", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_c2hvcnQ=", "whsec_!!!!"}) {
    const auto key = webhook_key(secret);
    ASSERT_FALSE(key) << secret;
    EXPECT_EQ(key.error().message.find("c2hvcnQ"), std::string::npos);
  }
}

}  // namespace
}  // namespace toolway::extensions::services
