#include "gateway/edge/edge.h"

#include <gtest/gtest.h>

namespace toolway::gateway::edge {
namespace {

namespace ip = boost::asio::ip;

bool holds(const std::vector<std::string>& entries, const char* address) {
  return TrustedPeers::parse(entries)->holds(ip::make_address(address));
}

TEST(TrustedPeers, AreNoneUntilTheyAreNamed) {
  EXPECT_FALSE(TrustedPeers().holds(ip::make_address("127.0.0.1")));
  EXPECT_FALSE(holds({"none"}, "127.0.0.1"));
  EXPECT_TRUE(TrustedPeers::parse({"none"})->empty());
  for (const auto* address : {"127.0.0.1", "127.0.0.6", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(holds({"loopback"}, address)) << address;
    EXPECT_TRUE(TrustedPeers::loopback().holds(ip::make_address(address)));
  }
  EXPECT_FALSE(holds({"loopback"}, "128.0.0.1"));
  EXPECT_FALSE(holds({"loopback"}, "::2"));
}

TEST(TrustedPeers, AreNetworksOfEitherKind) {
  EXPECT_TRUE(holds({"10.0.0.0/8", "192.0.2.1"}, "10.255.0.1"));
  EXPECT_TRUE(holds({"10.0.0.0/8", "192.0.2.1"}, "192.0.2.1"));
  EXPECT_TRUE(holds({"10.0.0.0/8"}, "::ffff:10.1.1.1")) << "the same address, mapped";
  EXPECT_FALSE(holds({"10.0.0.0/8", "192.0.2.1"}, "11.0.0.0"));
  EXPECT_FALSE(holds({"10.0.0.0/8", "192.0.2.1"}, "192.0.2.2"));
  EXPECT_TRUE(holds({"172.16.0.0/12"}, "172.31.255.255"));
  EXPECT_FALSE(holds({"172.16.0.0/12"}, "172.32.0.0"));
  EXPECT_TRUE(holds({"fd00::/8"}, "fdff::1"));
  EXPECT_FALSE(holds({"fd00::/8"}, "fe00::1"));
  EXPECT_FALSE(holds({"fd00::/8"}, "10.0.0.1"));
  EXPECT_TRUE(holds({"0.0.0.0/0"}, "8.8.8.8"));
  EXPECT_FALSE(holds({"0.0.0.0/0"}, "fd00::1"));
  EXPECT_TRUE(holds({"2001:db8::/33"}, "2001:db8:7fff::"));
  EXPECT_FALSE(holds({"2001:db8::/33"}, "2001:db8:8000::"));
}

TEST(TrustedPeers, SayWhichEntryIsWrong) {
  for (const auto* bad : {"", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "10.0.0.1/8", "fd00::1/8",
                          "example.org", "::ffff:10.0.0.0/104", "10.0.0.0/-1", "/8", "fe80::1%1"}) {
    const auto parsed = TrustedPeers::parse({bad});
    ASSERT_FALSE(parsed) << bad;
    EXPECT_NE(parsed.error().message.find("--trust-user-header"), std::string::npos);
  }
  EXPECT_FALSE(TrustedPeers::parse({"none", "loopback"}));
}

TEST(Edge, SaysWhichOptionIsWrong) {
  EdgeOptions options;
  const auto create = [&options](const std::string& host) {
    return Edge::create(host, {}, 100, options);
  };
  EXPECT_TRUE(create("127.0.0.1"));
  EXPECT_FALSE((*create("127.0.0.1"))->trusted.holds(ip::make_address("127.0.0.1")))
      << "no address is trusted by default";
  options.allow_hosts = {"a b"};
  EXPECT_FALSE(create("127.0.0.1"));
  options.allow_hosts = {};
  EXPECT_FALSE(create("nowhere"));
  options.public_url = "https://tools.example.com/";
  EXPECT_EQ((*create("127.0.0.1"))->public_url, "https://tools.example.com");
  options.public_url = "https://tools.example.com/mcp";
  EXPECT_NE(create("127.0.0.1").error().message.find("--public-url"), std::string::npos);
}

}  // namespace
}  // namespace toolway::gateway::edge
