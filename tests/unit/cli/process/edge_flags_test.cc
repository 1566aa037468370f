#include "cli/process/edge_flags.h"

#include <gtest/gtest.h>

namespace toolway::cli::process {
namespace {

TEST(EdgeFlags, OffLoopbackAGatewayWithoutHostNamesIsOpenToPages) {
  for (const char* host : {"0.0.0.0", "::", "10.0.0.7", "fe80::1"}) {
    const auto warning = open_to_pages(host, {});
    ASSERT_TRUE(warning) << host;
    EXPECT_NE(warning->find(host), std::string::npos);
    EXPECT_NE(warning->find("--allow-host NAME"), std::string::npos) << *warning;
    EXPECT_EQ(warning->find('\n'), std::string::npos);
  }
}

TEST(EdgeFlags, OnLoopbackOrWithHostNamesItIsNot) {
  for (const char* host : {"127.0.0.1", "127.1.2.3", "localhost", "::1", "::ffff:127.0.0.1"})
    EXPECT_FALSE(open_to_pages(host, {})) << host;
  EdgeFlags named;
  named.allow_hosts = {"devbox.internal"};
  EXPECT_FALSE(open_to_pages("0.0.0.0", named));
  EdgeFlags all;  // said on purpose
  all.allow_hosts = {"*"};
  EXPECT_FALSE(open_to_pages("0.0.0.0", all));
  EXPECT_FALSE(open_to_pages("no address", {})) << "starting refuses it";
}

}  // namespace
}  // namespace toolway::cli::process
