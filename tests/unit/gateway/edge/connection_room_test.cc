#include "gateway/edge/connection_room.h"

#include <gtest/gtest.h>

namespace toolway::gateway::edge {
namespace {

using Kind = ConnectionRoom::Kind;
using Admission = ConnectionRoom::Admission;

std::uint64_t key(const char* text) { return address_key(boost::asio::ip::make_address(text)); }

TEST(ConnectionRoom, OneAddressCannotHaveAll) {
  ConnectionRoom room({.most = 4, .per_address = 2});
  const auto one = key("192.0.2.1");
  const auto other = key("192.0.2.2");
  room.enter(one);
  room.enter(one);
  EXPECT_EQ(room.judge(one, Kind::kOwn), Admission::kAddressFull);
  EXPECT_EQ(room.judge(one, Kind::kShared), Admission::kRoom);
  EXPECT_EQ(room.judge(other, Kind::kOwn), Admission::kRoom);
  room.enter(other);
  room.enter(other);
  EXPECT_EQ(room.judge(key("192.0.2.3"), Kind::kOwn), Admission::kFull);
  room.leave(one);
  EXPECT_EQ(room.judge(one, Kind::kOwn), Admission::kRoom);
  room.leave(one);
  EXPECT_EQ(room.open_of(one), 0U);
  EXPECT_EQ(room.open(), 2U);
}

TEST(ConnectionRoom, AnAddressIsOneSubscribers) {
  EXPECT_EQ(key("2001:db8::1"), key("2001:db8::ffff:0:0:2"));
  EXPECT_NE(key("2001:db8::1"), key("2001:db8:0:1::1"));
  EXPECT_EQ(key("::ffff:192.0.2.1"), key("192.0.2.1"));
  EXPECT_NE(key("192.0.2.1"), key("192.0.2.2"));
}

TEST(ConnectionRoom, NoIpv6AddressIsTakenForAnIpv4One) {
  for (const char* address : {"::1", "::", "fe80::1", "2001:db8::1"})
    EXPECT_LT(key(address), key("0.0.0.0")) << address;
}

TEST(ConnectionRoom, WithoutACapPerAddressOnlyTheTotalCounts) {
  ConnectionRoom room({.most = 3});
  const auto one = key("192.0.2.1");
  for (int i = 0; i < 2; ++i) room.enter(one);
  EXPECT_EQ(room.judge(one, Kind::kOwn), Admission::kRoom);
  room.enter(one);
  EXPECT_EQ(room.judge(one, Kind::kOwn), Admission::kFull);
  EXPECT_EQ(room.judge(one, Kind::kShared), Admission::kFull) << "the total is for all";
}

TEST(ConnectionRoom, AnAddressThatHasItsShareHearsSoEvenWhenAllIsFull) {
  ConnectionRoom room({.most = 2, .per_address = 2});
  const auto one = key("192.0.2.1");
  room.enter(one);
  room.enter(one);
  EXPECT_EQ(room.judge(one, Kind::kOwn), Admission::kAddressFull);
}

}  // namespace
}  // namespace toolway::gateway::edge
