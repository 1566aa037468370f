#include "gateway/admission/fleet_shares.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace toolway::gateway::admission {
namespace {

using namespace std::chrono_literals;

constexpr MonotonicTime kNow{1h};
const std::string kA(32, 'a');
const std::string kB(32, 'b');

TEST(FleetShares, AddUpWhatTheOthersTell) {
  FleetShares shares;
  EXPECT_TRUE(shares.empty());
  shares.heard("g1", whole_message({{kA, 5}, {kB, 1}}), kNow);
  shares.heard("g2", whole_message({{kA, 2}}), kNow);
  EXPECT_EQ(shares.of(kA), 7U);
  EXPECT_EQ(shares.of(kB), 1U);
  shares.heard("g1", change_message({{kA, 6}}), kNow);
  EXPECT_EQ(shares.of(kA), 8U);
  EXPECT_EQ(shares.of(kB), 1U) << "a change says nothing of the rest";
  shares.heard("g1", change_message({{kA, 0}}), kNow);
  EXPECT_EQ(shares.of(kA), 2U);
  shares.heard("g1", whole_message({}), kNow);
  EXPECT_EQ(shares.of(kB), 0U) << "all that it tells of";
  shares.heard("g2", whole_message({}), kNow);
  EXPECT_TRUE(shares.empty());
}

TEST(FleetShares, AGatewayThatIsSilentIsGone) {
  FleetShares shares;
  shares.heard("g1", whole_message({{kA, 5}}), kNow);
  shares.heard("g2", whole_message({{kA, 2}}), kNow + 1s);
  shares.expire(kNow + FleetShares::kMaxSilence);
  EXPECT_EQ(shares.of(kA), 7U);
  shares.expire(kNow + FleetShares::kMaxSilence + 1ms);
  EXPECT_EQ(shares.of(kA), 2U);
  shares.expire(kNow + 1s + FleetShares::kMaxSilence + 1ms);
  EXPECT_TRUE(shares.empty());
}

TEST(FleetShares, TakeBoundedMemoryWhateverIsTold) {
  FleetShares shares;
  v1::SharesTold told;
  for (std::size_t i = 0; i < 10 * FleetShares::kMaxShares; ++i) {
    auto& share = *told.add_shares();
    share.set_name(fmt::format("{:032}", i));
    share.set_waiting(1);
  }
  auto& garbage = *told.add_shares();
  garbage.set_name("short");
  garbage.set_waiting(9);
  shares.heard("g", told, kNow);
  EXPECT_EQ(shares.of("short"), 0U);
  EXPECT_EQ(shares.of(fmt::format("{:032}", 5 * FleetShares::kMaxShares)), 0U);
  EXPECT_EQ(shares.of(fmt::format("{:032}", 1)), 1U);
  for (std::size_t i = 0; i < 2 * FleetShares::kMaxGateways; ++i)
    shares.heard("g" + std::to_string(i), whole_message({{kA, 1}}), kNow);
  EXPECT_LE(shares.of(kA), FleetShares::kMaxGateways);
}

TEST(FleetShares, AMessageHoldsTheLargestShares) {
  std::vector<std::pair<std::string, std::uint64_t>> many;
  for (std::size_t i = 0; i < 3 * FleetShares::kMaxShares; ++i)
    many.emplace_back(fmt::format("{:032}", i), i);
  const auto told = whole_message(many);
  EXPECT_TRUE(told.whole());
  EXPECT_EQ(told.shares_size(), static_cast<int>(FleetShares::kMaxShares));
  for (const auto& share : told.shares())
    EXPECT_GE(share.waiting(), 2 * FleetShares::kMaxShares) << share.name();
  EXPECT_LT(told.ByteSizeLong(), 40'000U);
  EXPECT_EQ(change_message(many).shares_size(), static_cast<int>(FleetShares::kMaxShares));
}

TEST(FleetShares, NoSessionKeyAndNoUserIsTold) {
  const std::string key = "a3f00000000000000000000000000001";
  EXPECT_EQ(session_share(key).size(), 32U);
  EXPECT_NE(session_share(key), key);
  EXPECT_NE(session_share("x"), user_share("x"));
}

}  // namespace
}  // namespace toolway::gateway::admission
