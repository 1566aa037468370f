// A process gives back what a load needed, while it is idle (cli/allocator.cc).
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/e2e/dev/dev_stack.h"

namespace toolway::cli {
namespace {

constexpr int kClients = 24;

TEST(FreedMemory, GoesBackWhenTheLoadHasEnded) {
  const test::TempDir dir;
  const Dev dev(dir);
  ASSERT_FALSE(dev.url().empty()) << dev.log();
  const int gateway = dev.pid_of("gateway");
  const std::int64_t before = status_kb(gateway, "VmRSS:");
  const client::HttpClient::Headers headers = {{"Content-Type", "application/json"},
                                               {"Prefer", "wait=20"}};
  const std::string body =
      R"({"tool":"bench.echo","arguments":{"payload":")" + std::string(400'000, 'x') + "\"}}";
  std::vector<std::jthread> clients;
  for (int i = 0; i < kClients; ++i)
    clients.emplace_back([&] {
      const auto client = client::HttpClient::create({.url = dev.url()}).value();
      const auto opened = client->request(
          "POST", "/v1/sessions", R"({"session_id":"large","namespaces":["bench"]})", headers);
      ASSERT_TRUE(opened && opened->ok());
      for (int call = 0; call < 5; ++call) {
        const auto called = client->request("POST", "/v1/sessions/large/calls", body, headers);
        EXPECT_EQ(called.value().status, 200) << called->body.substr(0, 300);
      }
    });
  clients.clear();
  const std::int64_t needed = status_kb(gateway, "VmHWM:") - before;
  RecordProperty("needed_kib", std::to_string(needed));
  EXPECT_GT(needed, 24 * 1024) << "the load was too small to show anything";
  EXPECT_TRUE(wait_for([&] { return status_kb(gateway, "VmRSS:") - before < needed / 3; }))
      << needed << " KiB were needed, " << status_kb(gateway, "VmRSS:") - before << " KiB are kept";
}

}  // namespace
}  // namespace toolway::cli
