#include "gateway/admission/guard.h"

#include <gtest/gtest.h>

namespace toolway::gateway::admission {
namespace {

using std::chrono::seconds;
constexpr MonotonicTime kGuardTime{seconds(1000)};

BusFacts facts() {
  BusFacts facts;
  facts.at = kGuardTime;
  facts.pools["native"] = {{"native-normal-0", proto::Lane::kNormal, 0, {.pending = 10}, 0},
                           {"native-bulk-0", proto::Lane::kBulk, 0, {.pending = 20}, 0}};
  facts.unrecorded = {{"CALLS", 0.1}, {"EVENTS", 0.2}};
  return facts;
}
std::optional<ErrorCode> refusal(const BusFacts& facts, std::string_view pool = "native",
                                 bus::Connection connection = bus::Connection::kConnected,
                                 MonotonicTime now = kGuardTime, GuardCaps caps = {},
                                 std::chrono::nanoseconds silent = {}) {
  const auto error =
      refuse_call(facts, caps, pool, {.connection = connection, .silent = silent}, now);
  if (!error) return std::nullopt;
  EXPECT_TRUE(error->retry_after.has_value());
  return error->code;
}

TEST(Guard, TakesCallsWhenNothingPreventsItOrNothingIsKnown) {
  EXPECT_EQ(refusal(facts()), std::nullopt);
  EXPECT_EQ(refusal(BusFacts{}), std::nullopt);
}

TEST(Guard, RefusesWhenAStreamIsTooFarAhead) {
  auto behind = facts();
  behind.unrecorded["EVENTS"] = 0.51;
  EXPECT_EQ(refusal(behind), ErrorCode::kCollectorBehind);
  behind.unrecorded["EVENTS"] = 0.5;
  EXPECT_EQ(refusal(behind), std::nullopt);
}

TEST(Guard, RefusesWhatWouldWaitTooLongOrHasNoWorker) {
  EXPECT_EQ(refusal(facts(), "gpu"), ErrorCode::kPoolUnavailable);
  EXPECT_EQ(refusal(facts(), "native", bus::Connection::kConnected, kGuardTime, {.pool_queue = 30}),
            ErrorCode::kQueueFull);
  EXPECT_EQ(refusal(facts(), "native", bus::Connection::kConnected, kGuardTime, {.pool_queue = 31}),
            std::nullopt);
}

TEST(Guard, OldFactsRefuseOnlyWhileTheBusIsAway) {
  auto old = facts();
  old.unrecorded["CALLS"] = 0.9;
  EXPECT_EQ(refusal(old, "native", bus::Connection::kConnected, kGuardTime + seconds(6)),
            std::nullopt);
  EXPECT_EQ(refusal(old, "native", bus::Connection::kDisconnected, kGuardTime + seconds(6)),
            ErrorCode::kBusUnavailable);
  EXPECT_EQ(refusal(old, "native", bus::Connection::kDisconnected, kGuardTime + seconds(4)),
            ErrorCode::kCollectorBehind);
}

TEST(Guard, RefusesWhileJetStreamIsSilentThoughItsServerIsConnected) {
  const auto after = [](seconds silent) {
    return refusal(facts(), "native", bus::Connection::kConnected, kGuardTime, {}, silent);
  };
  EXPECT_EQ(after(seconds(4)), std::nullopt);
  EXPECT_EQ(after(seconds(5)), ErrorCode::kBusUnavailable);
  EXPECT_EQ(refusal(BusFacts{}, "native", bus::Connection::kConnected, kGuardTime, {}, seconds(5)),
            ErrorCode::kBusUnavailable);
}

TEST(BusHealth, MeansJetStreamAndNotTheConnectionAlone) {
  using bus::Connection;
  EXPECT_TRUE((BusHealth{Connection::kConnected, seconds(4), true}.answers()));
  EXPECT_FALSE((BusHealth{Connection::kConnected, seconds(5), true}.answers()));
  EXPECT_FALSE((BusHealth{Connection::kConnected, seconds(0), false}.answers()));
  EXPECT_FALSE((BusHealth{Connection::kDisconnected, seconds(0), true}.answers()));
}

TEST(Guard, AShareThatIsUsedUpIsTheCallersOwn) {
  EXPECT_FALSE(refuse_share(Shares::Placement::kBulk, {}));
  EXPECT_EQ(refuse_share(Shares::Placement::kSessionFull, {})->code, ErrorCode::kTooManyCalls);
  EXPECT_EQ(refuse_share(Shares::Placement::kUserFull, {})->code, ErrorCode::kTooManyCalls);
}

TEST(Guard, AServerThatStoresNothingIsNotOurFault) {
  const auto full = refused_by_stream({ErrorCode::kInternal, "maximum bytes exceeded"});
  EXPECT_EQ(full.code, ErrorCode::kBusUnavailable);
  EXPECT_NE(full.message.find("maximum bytes exceeded"), std::string::npos);
  EXPECT_TRUE(full.retry_after);
  EXPECT_EQ(refused_by_stream({ErrorCode::kOverloaded, "x"}).code, ErrorCode::kOverloaded);
}

TEST(Places, FollowTheDurablesThatExist) {
  const auto session = *SessionKey::parse("00300000000000000000000000000000");  // shard 3
  EXPECT_EQ(place_of({}, "native", proto::Lane::kBulk, session).partition, 0U);
  auto some = facts();
  for (unsigned part = 1; part < 4; ++part) {
    some.pools["native"].push_back({"native-normal-x", proto::Lane::kNormal, part, {}, 0});
  }
  EXPECT_EQ(place_of(some, "native", proto::Lane::kNormal, session).partition, 3U);
  EXPECT_EQ(place_of(some, "native", proto::Lane::kBulk, session).partition, 0U);
  some.pools["native"] = {{"native-normal-2", proto::Lane::kNormal, 2, {}, 0}};
  const auto other = place_of(some, "native", proto::Lane::kBulk, session);
  EXPECT_EQ(other.lane, proto::Lane::kNormal);
  EXPECT_EQ(other.partition, 2U);
}

TEST(Places, ADrainRateIsWhatAQueueGaveOutOfTheStream) {
  EXPECT_EQ(drain_rate({.delivered = 100}, {.delivered = 300}, 300, seconds(2)), 100);
  // Half of what follows in the stream is its own, so half of what it went past was.
  EXPECT_EQ(drain_rate({.delivered = 100}, {.delivered = 300, .pending = 50}, 400, seconds(1)),
            100);
  EXPECT_EQ(drain_rate({.delivered = 300}, {.delivered = 100}, 400, seconds(1)), 0);
}

}  // namespace
}  // namespace toolway::gateway::admission
