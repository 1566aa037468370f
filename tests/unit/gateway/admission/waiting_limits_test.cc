#include "gateway/admission/waiting_limits.h"

#include <gtest/gtest.h>

#include <thread>

#include "bus/in_memory_bus.h"
#include "monitoring/metric_names.h"
#include "proto/approvals.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "tests/support/test_clock.h"
#include "tests/unit/gateway/bus_loop.h"

namespace toolway::gateway::admission {
namespace {

using namespace std::chrono_literals;
using extensions::LimitKind;
using extensions::Per;
using extensions::chain::LimitAsked;

/// One gateway's part of it.
struct Gateway {
  Gateway(bus::Bus& bus, BusLoop& loop, const Clock& clock, monitoring::Metrics& metrics)
      : chain(metrics, clock),
        workers(bus, loop.io_post(), clock),
        queues(loop.bus(), clock, metrics, {}, {workers, fleet}, loop.io().get_executor()),
        limits({.bus = loop.bus(),
                .messenger = bus,
                .io_post = loop.io_post(),
                .clock = clock,
                .queues = queues,
                .counts = counts,
                .fleet = fleet,
                .refusals = refusals,
                .metrics = metrics,
                .chain_metrics = chain,
                .executor = loop.io().get_executor()}) {
    limits.every_second();
  }
  extensions::chain::ChainMetrics chain;
  WorkerRoster workers;
  WaitingCounts counts;
  FleetShares fleet;
  LimitRefusals refusals;
  BusWatch queues;
  WaitingLimits limits;
};

class WaitingLimitsTest : public ::testing::Test {
 protected:
  WaitingLimitsTest() { EXPECT_TRUE(memory_->provision({.pools = {{"native", 1}}})); }
  ~WaitingLimitsTest() override {
    for (Gateway* gateway : {&first_, &second_}) gateway->limits.stop();
    loop_.io().poll();
  }

  static LimitAsked limit(std::uint32_t most, std::vector<Per> per = {Per::kUser}) {
    return {.limit = {.name = "few",
                      .rate = {},
                      .per = std::move(per),
                      .kind = LimitKind::kWaiting,
                      .most = most}};
  }
  v1::CallRequest call_of(const std::string& user) {
    v1::CallRequest call;
    call.set_call_id(CallId::make(wall_.wall()).text());
    call.set_tenant_id("default");
    call.set_user_id(user);
    call.set_session_key(SessionKey::make().text());
    call.set_pool("native");
    call.set_arguments("{}");
    return call;
  }
  wire::HttpResult<WaitingPlacePtr> take(Gateway& gateway, const LimitAsked& asked,
                                         const v1::CallRequest& call) {
    return loop_.run(gateway.limits.take(std::span(&asked, 1), call));
  }
  /// Publishes it as an accepted call.
  bool accept(Gateway& gateway, const LimitAsked& asked, const std::string& user = "ann") {
    const auto call = call_of(user);
    auto counted = take(gateway, asked, call);
    if (!counted) {
      EXPECT_EQ(counted.error().error.code, ErrorCode::kRateLimited);
      return false;
    }
    const auto stored = loop_.run(
        loop_.bus().publish({.subject = proto::call_subject("native", proto::Lane::kNormal, 0,
                                                            *SessionKey::parse(call.session_key())),
                             .payload = proto::encode(call)}));
    EXPECT_TRUE(stored);
    gateway.queues.accepted(call, {}, stored->sequence, std::move(*counted));
    return true;
  }
  /// What was told has been heard.
  void hear() {
    for (int i = 0; i < 10; ++i) {
      memory_->quiesce();
      loop_.io().run_for(5ms);
    }
  }
  /// A worker that takes all that waits.
  void deliver(std::size_t calls) {
    test::Awaited<std::string> got;
    auto note = got.callback();
    worker_ = memory_->pull({std::string(proto::kCallsStream), "native-normal-0"},
                            [note](bus::Delivery delivery) {
                              note(delivery.subject);
                              delivery.ack();
                            });
    worker_->allow(calls);
    for (std::size_t i = 0; i < calls; ++i) EXPECT_TRUE(got.next());
    memory_->quiesce();
  }

  const std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  BusLoop loop_{*memory_};
  const SystemClock wall_;
  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("test");
  Gateway first_{*memory_, loop_, wall_, *metrics_};
  Gateway second_{*memory_, loop_, wall_, *metrics_};
  std::shared_ptr<bus::PullConsumer> worker_;
};

TEST_F(WaitingLimitsTest, RefuseOneMoreThanTheLimit) {
  const auto three = limit(3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(accept(first_, three));
  EXPECT_FALSE(accept(first_, three));
  EXPECT_TRUE(accept(first_, three, "bob")) << "another user has a count of their own";
  const auto refused = take(first_, three, call_of("ann"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error.message,
            "limit few lets 3 calls wait, and as many do: send the call again when some of them "
            "have started");
  EXPECT_EQ(refused.error().error.retry_after, 1s);
  EXPECT_EQ(metrics_->counter(monitoring::kLimited, "limit", "few").value(), 2);
}

TEST_F(WaitingLimitsTest, WhatAWorkerHasReceivedNoLongerWaits) {
  const auto three = limit(3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(accept(first_, three));
  EXPECT_FALSE(accept(first_, three));
  deliver(3);
  std::this_thread::sleep_for(25ms);  // what was full is not asked for in between
  EXPECT_TRUE(accept(first_, three)) << "the queues are asked before a call is refused";
}

TEST_F(WaitingLimitsTest, GatewaysTellEachOther) {
  const auto three = limit(3);
  EXPECT_TRUE(accept(first_, three));
  EXPECT_TRUE(accept(first_, three));
  hear();
  EXPECT_TRUE(accept(second_, three));
  EXPECT_FALSE(accept(second_, three));
  hear();
  EXPECT_FALSE(accept(first_, three));
  deliver(3);
  loop_.io().run_for(200ms);
  hear();
  EXPECT_TRUE(accept(second_, three)) << "told once workers have them";
}

TEST_F(WaitingLimitsTest, AGatewayThatStartsLearnsWhatWaits) {
  const auto three = limit(3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(accept(first_, three));
  Gateway third(*memory_, loop_, wall_, *metrics_);
  first_.limits.every_second();
  hear();
  EXPECT_FALSE(accept(third, three));
  third.limits.stop();
  loop_.io().poll();
}

TEST_F(WaitingLimitsTest, ACallThatIsNotAcceptedGivesItsPlaceBack) {
  const auto one = limit(1);
  {
    const auto counted = take(first_, one, call_of("ann"));
    ASSERT_TRUE(counted && *counted);
    EXPECT_FALSE(take(first_, one, call_of("ann"))) << "counted before it is published";
  }
  EXPECT_TRUE(take(first_, one, call_of("ann")));
}

TEST_F(WaitingLimitsTest, CallsThatNoLimitCountsSayNothing) {
  const LimitAsked rate{.limit = {.name = "r", .rate = {}, .per = {}}};
  const auto counted = take(first_, rate, call_of("ann"));
  ASSERT_TRUE(counted);
  EXPECT_FALSE(*counted);
  EXPECT_TRUE(first_.counts.all().empty());
}

TEST_F(WaitingLimitsTest, HeldCallsCountUntilTheyAreDecided) {
  const auto two = limit(2);
  std::vector<v1::CallRequest> held;
  for (int i = 0; i < 2; ++i) {
    auto call = call_of("ann");
    call.mutable_hold()->set_quorum(1);
    call.mutable_hold()->set_expires_at_us(to_unix_us(wall_.wall() + 1h));
    auto counted = take(first_, two, call);
    ASSERT_TRUE(counted);
    const auto subject = proto::event_subject(*SessionKey::parse(call.session_key()),
                                              *CallId::parse(call.call_id()));
    const auto asked = proto::approval_request(call, "digest", wall_.wall());
    ASSERT_TRUE(loop_.run(loop_.bus().publish(
        {.subject = subject, .payload = proto::encode(asked), .expected_last = 0})));
    first_.limits.held(call, std::move(*counted));
    held.push_back(call);
  }
  EXPECT_FALSE(accept(first_, two));
  v1::Vote vote;
  vote.set_user_id("bea");
  vote.set_approve(false);
  const auto subject = proto::event_subject(*SessionKey::parse(held[0].session_key()),
                                            *CallId::parse(held[0].call_id()));
  const auto last = loop_.run(loop_.bus().last_message(proto::kEventsStream, subject));
  ASSERT_TRUE(last);
  const auto decided =
      proto::approval_decided(held[0], *proto::decode_event(last->payload), vote, wall_.wall());
  ASSERT_TRUE(loop_.run(loop_.bus().publish(
      {.subject = subject, .payload = proto::encode(decided), .expected_last = last->sequence})));
  std::this_thread::sleep_for(25ms);
  EXPECT_TRUE(accept(first_, two)) << "one was denied";
  EXPECT_FALSE(accept(first_, two));
}

}  // namespace
}  // namespace toolway::gateway::admission
