#include "gateway/edge/public_url.h"

#include <gtest/gtest.h>

namespace toolway::gateway::edge {
namespace {

TEST(PublicUrl, ComesBeforeTheHost) {
  EXPECT_EQ(origin_of("https://tools.example.com", "127.0.0.1:8080"), "https://tools.example.com");
  EXPECT_EQ(origin_of("", "127.0.0.1:8080"), "http://127.0.0.1:8080");
  EXPECT_EQ(origin_of("", "[::1]:8080"), "http://[::1]:8080");
  EXPECT_EQ(origin_of("", std::nullopt), std::nullopt);
  for (const char* host : {"", "a b", "a\", evil=\"", "a/b", "a:b"})
    EXPECT_EQ(origin_of("", host), std::nullopt) << host;
}

TEST(PublicUrl, HasNoPath) {
  EXPECT_EQ(checked_public_url("https://Tools.example.com/").value_or("?"),
            "https://tools.example.com");
  EXPECT_EQ(checked_public_url("http://10.0.0.1:8080").value_or("?"), "http://10.0.0.1:8080");
  EXPECT_EQ(checked_public_url("").value_or("?"), "");
  for (const char* wrong : {"tools.example.com", "ftp://x", "https://x/mcp", "https://x/?a"}) {
    const auto refused = checked_public_url(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_NE(refused.error().message.find("--public-url"), std::string::npos);
  }
}

}  // namespace
}  // namespace toolway::gateway::edge
