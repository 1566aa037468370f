#include "cli/mcp_serve/bridge.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <latch>
#include <semaphore>
#include <set>

#include "tests/support/awaiting.h"

namespace toolway::cli::mcp_serve {
namespace {

using namespace std::chrono_literals;

std::string call_line(int id) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call"}})", id);
}
std::string ping_line(int id) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"ping"}})", id);
}

/// Carries lines until they are let go, and keeps what it was handed.
class BridgeTest : public testing::Test {
 protected:
  void carry(const ClientLine& line, const std::stop_token& stop) {
    const auto id = line.id ? mcp::id_text(*line.id) : line.method;
    begun_.callback()(id);
    const auto ends = std::chrono::steady_clock::now() + test::kPatience;
    while (!may_end(line)) {
      if (stop.stop_requested()) {
        stopped_.callback()(id);
        return;
      }
      ASSERT_LT(std::chrono::steady_clock::now(), ends);
    }
  }
  /// A subscription never does by itself.
  bool may_end(const ClientLine& line) {
    if (!line.listens()) return gate_.try_acquire_for(5ms);
    std::this_thread::sleep_for(5ms);
    return false;
  }
  std::set<std::string> begun(std::size_t count) {
    std::set<std::string> ids;
    for (std::size_t i = 0; i < count; ++i)
      if (const auto id = begun_.next()) ids.insert(*id);
    return ids;
  }

  std::counting_semaphore<1000> gate_{0};
  test::Awaited<std::string> begun_;
  test::Awaited<std::string> stopped_;
  std::vector<std::string> written_;
  std::unique_ptr<Bridge> bridge_ =
      std::make_unique<Bridge>([this](const std::string&, const ClientLine& line,
                                      const std::stop_token& stop) { carry(line, stop); },
                               [this](const std::string& line) { written_.push_back(line); });
};

TEST_F(BridgeTest, APingPassesCallsThatTakeLong) {
  for (int id = 0; id < 20; ++id) bridge_->take(call_line(id));
  EXPECT_EQ(begun(kMaxCallsAtOnce).size(), kMaxCallsAtOnce);
  bridge_->take(ping_line(100));
  EXPECT_EQ(begun_.next(), "100") << "not a 15th call";
  gate_.release(21);
  EXPECT_EQ(begun(6).size(), 6U);
  bridge_->finish();
}

TEST_F(BridgeTest, SubscriptionsTakeNoPlaceOfOthersAndEndWithTheInput) {
  for (std::size_t id = 0; id < kMaxListening + 1; ++id)
    bridge_->take(
        fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"subscriptions/listen"}})", id));
  EXPECT_EQ(begun(kMaxListening).size(), kMaxListening) << "not a fifth one";
  for (int id = 100; id < 116; ++id) bridge_->take(ping_line(id));
  EXPECT_EQ(begun(kMaxAtOnce).size(), kMaxAtOnce);
  gate_.release(kMaxAtOnce);
  bridge_->finish();
  for (std::size_t i = 0; i < kMaxListening; ++i) EXPECT_TRUE(stopped_.next());
}

TEST_F(BridgeTest, WhatFollowsInitializeWaitsForIt) {
  bridge_->take(R"({"jsonrpc":"2.0","id":"i","method":"initialize"})");
  bridge_->take(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  bridge_->take(ping_line(1));
  EXPECT_EQ(begun_.next(), "\"i\"");
  EXPECT_FALSE(begun_.next(50ms));
  gate_.release(3);
  EXPECT_EQ(begun(2), (std::set<std::string>{"1", "notifications/initialized"}));
  bridge_->finish();
}

TEST_F(BridgeTest, ACancellationOfTheNewEraEndsItsRequest) {
  bridge_->take(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"_meta":{)"
                R"("io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})");
  EXPECT_EQ(begun_.next(), "5");
  bridge_->take(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})");
  EXPECT_EQ(stopped_.next(), "5");
  bridge_->finish();
}

TEST_F(BridgeTest, ACancellationOfTheOtherEraGoesToTheGateway) {
  bridge_->take(call_line(5));
  EXPECT_EQ(begun_.next(), "5");
  bridge_->take(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})");
  EXPECT_EQ(begun_.next(), "notifications/cancelled");
  gate_.release(2);
  bridge_->finish();
}

TEST_F(BridgeTest, WhatIsNotAMessageIsAnsweredAtOnce) {
  bridge_->take("nonsense");
  ASSERT_EQ(written_.size(), 1U);
  EXPECT_NE(written_.front().find("-32700"), std::string::npos);
  bridge_->finish();
}

TEST_F(BridgeTest, ItsEndStopsWhatItCarries) {
  for (int id = 0; id < 3; ++id) bridge_->take(call_line(id));
  EXPECT_EQ(begun(3).size(), 3U);
  bridge_.reset();
  for (int id = 0; id < 3; ++id) EXPECT_TRUE(stopped_.next());
}

}  // namespace
}  // namespace toolway::cli::mcp_serve
