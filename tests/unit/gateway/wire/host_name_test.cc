#include "gateway/wire/host_name.h"

#include <gtest/gtest.h>

namespace toolway::gateway::wire {
namespace {

/// `NAME PORT`, as it was understood; `-`: it was not.
std::string understood(std::string_view text) {
  const auto host = parse_host(text);
  if (!host) return "-";
  return host->name + (host->port ? " " + std::to_string(*host->port) : "");
}

TEST(HostName, IsANameOrAnAddressWithOrWithoutAPort) {
  for (const auto& [text, expected] : {
           std::pair("example.com", "example.com"),
           std::pair("Example.COM:8080", "example.com 8080"),
           std::pair("my_host-1", "my_host-1"),
           std::pair("192.0.2.1:0", "192.0.2.1 0"),
           std::pair("[2001:DB8::1]", "[2001:db8::1]"),
           std::pair("[::1]:65535", "[::1] 65535"),
           std::pair("[::ffff:192.0.2.1]:1", "[::ffff:192.0.2.1] 1"),
       }) {
    EXPECT_EQ(understood(text), expected) << text;
  }
}

TEST(HostName, ADotAtTheEndIsTheSameName) {
  EXPECT_EQ(understood("example.com."), "example.com");
  EXPECT_EQ(understood("example.com.:80"), "example.com 80");
  EXPECT_EQ(understood("."), "-");
}

TEST(HostName, NothingElseIs) {
  for (const char* text :
       {"",       ":80",        "a b",         "a/b",     "user@host", "host:",
        "host:x", "host:65536", "host:-1",     "host:+1", "host: 80",  "host:80:80",
        "::1",    "[",          "[]",          "[:]x",    "[::1",      "[::1]x",
        "[::1]:", "[::g]",      "[fe80::1%1]", "a,b",     "http://a"}) {
    EXPECT_EQ(understood(text), "-") << text;
  }
  EXPECT_NE(understood(std::string(255, 'a')), "-");
  EXPECT_EQ(understood(std::string(256, 'a')), "-");
}

TEST(HostName, TheMachineItselfHasThreeNames) {
  for (const char* text : {"localhost", "LocalHost.:1", "127.0.0.1:8080", "[::1]"})
    EXPECT_TRUE(names_loopback(*parse_host(text))) << text;
  for (const char* text : {"localhost.example.com", "127.0.0.2", "[::2]", "0.0.0.0"})
    EXPECT_FALSE(names_loopback(*parse_host(text))) << text;
}

}  // namespace
}  // namespace toolway::gateway::wire
