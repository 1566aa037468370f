#include "cli/process/server_urls.h"

#include <gtest/gtest.h>

namespace toolway::cli::process {
namespace {

TEST(ServerUrls, AreShownWithoutPasswords) {
  EXPECT_EQ(without_password("nats://a:b@h1:4222,nats://c@h2:4222"),
            "nats://h1:4222,nats://h2:4222");
  EXPECT_EQ(without_password("nats://127.0.0.1:4222"), "nats://127.0.0.1:4222");
  EXPECT_EQ(without_password("a:b@h"), "h");
}

}  // namespace
}  // namespace toolway::cli::process
