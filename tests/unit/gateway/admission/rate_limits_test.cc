#include "gateway/admission/rate_limits.h"

#include <gtest/gtest.h>

#include "bus/in_memory_bus.h"
#include "extensions/limits/bucket_key.h"
#include "monitoring/metric_names.h"
#include "proto/subjects.h"
#include "tests/support/forwarding_bus.h"
#include "tests/support/test_clock.h"
#include "tests/unit/gateway/bus_loop.h"

namespace toolway::gateway::admission {
namespace {

using namespace std::chrono_literals;
using extensions::OnFailure;
using extensions::Per;
using extensions::chain::LimitAsked;
using extensions::limits::bucket_key;

/// Counts what is asked of the bucket, and can be away.
class LimitsBus final : public test::ForwardingBus {
 public:
  using ForwardingBus::ForwardingBus;
  void last_message(std::string_view stream, std::string subject, bus::ReadFrom from,
                    bus::MessageHandler handler) override {
    ++questions;
    if (away) return handler(fail(ErrorCode::kTimeout, "no answer"));
    ForwardingBus::last_message(stream, std::move(subject), from, std::move(handler));
  }
  int questions = 0;
  bool away = false;
};

class RateLimitsTest : public testing::Test {
 protected:
  RateLimitsTest() { EXPECT_TRUE(memory_->provision({.pools = {{"native", 1}}})); }

  static v1::CallRequest call_of(const std::string& user, const std::string& session = "s1") {
    v1::CallRequest call;
    call.set_tenant_id("default");
    call.set_user_id(user);
    call.set_session_key(session);
    call.mutable_labels()->set_namespace_("shop");
    call.mutable_labels()->set_tool("buy");
    return call;
  }
  static LimitAsked limit(std::chrono::nanoseconds interval, unsigned burst,
                          std::vector<Per> per = {Per::kUser}) {
    return {.limit = {.name = "slow", .rate = {interval, burst}, .per = std::move(per)}};
  }
  wire::HttpResult<void> take(RateLimits& gateway, const LimitAsked& asked,
                              const v1::CallRequest& call) {
    const std::vector<LimitAsked> limits{asked};
    return loop_.run(gateway.take(limits, call));
  }
  double counted(std::string_view decision) {
    return metrics_
        ->counter(monitoring::kExtensionDecisions,
                  {{"extension", "limits"}, {"decision", decision}})
        .value();
  }

  const std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  LimitsBus bus_{*memory_};
  BusLoop loop_{bus_};
  test::StoppedClock clock_;
  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("test");
  extensions::chain::ChainMetrics chain_{*metrics_, clock_};
  LimitRefusals refusals_;
  RateLimits first_{loop_.bus(), clock_, *metrics_, chain_, refusals_, loop_.io().get_executor()};
  RateLimits second_{loop_.bus(), clock_, *metrics_, chain_, refusals_, loop_.io().get_executor()};
};

TEST(RateLimited, SaysHowLongAsPeopleDo) {
  const auto room_in = [](std::chrono::nanoseconds wait) {
    const auto message = rate_limited({.name = "slow"}, wait).message;
    return message.substr(message.rfind(" in ") + 4);
  };
  EXPECT_EQ(room_in(1ns), "1 ms");
  EXPECT_EQ(room_in(999ms), "999 ms");
  EXPECT_EQ(room_in(1001ms), "2 s");
  EXPECT_EQ(room_in(90s), "90 s");
  EXPECT_EQ(room_in(121s), "3 min");
  EXPECT_EQ(room_in(3'599'998ms), "1 h");
  EXPECT_EQ(room_in(4'790s), "1 h 20 min");
}

TEST_F(RateLimitsTest, GatewaysShareABucket) {
  const auto five = limit(200ms, 5);
  int accepted = 0;
  for (int i = 0; i < 20; ++i)
    accepted += take(i % 2 == 0 ? first_ : second_, five, call_of("ann")) ? 1 : 0;
  EXPECT_EQ(accepted, 5);
  const auto refused = take(first_, five, call_of("ann"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error.code, ErrorCode::kRateLimited);
  EXPECT_EQ(refused.error().error.retry_after, 200ms);
  EXPECT_EQ(refused.error().error.message,
            "limit slow lets no more calls through at the moment; there is room for one in 200 ms");
  EXPECT_TRUE(take(second_, five, call_of("bob"))) << "another user has a bucket of their own";
  clock_.advance(200ms);
  EXPECT_TRUE(take(second_, five, call_of("ann")));
  EXPECT_FALSE(take(first_, five, call_of("ann")));
  EXPECT_EQ(metrics_->counter(monitoring::kLimited, "limit", "slow").value(), 17);
  EXPECT_EQ(counted("refuse"), 17);
  EXPECT_EQ(counted("allow"), 7);
}

TEST_F(RateLimitsTest, ManySessionsDoNotGetRoundIt) {
  const auto two = limit(10s, 2);
  EXPECT_TRUE(take(first_, two, call_of("ann", "s1")));
  EXPECT_TRUE(take(first_, two, call_of("ann", "s2")));
  EXPECT_FALSE(take(second_, two, call_of("ann", "s3")));
  const auto by_session = limit(10s, 1, {Per::kSession});
  EXPECT_NE(bucket_key(by_session.limit, call_of("ann", "s1")),
            bucket_key(by_session.limit, call_of("ann", "s2")));
}

TEST_F(RateLimitsTest, CallsThatComeAtOnceAskOnce) {
  std::vector<LimitAsked> limits{limit(1ms, 1000)};
  int accepted = 0;
  const auto call = call_of("ann");
  constexpr int kCalls = 500;
  int ended = 0;
  for (int i = 0; i < kCalls; ++i)
    asio::co_spawn(loop_.io(), first_.take(limits, call),
                   [&](std::exception_ptr, wire::HttpResult<void> taken) {
                     ++ended;
                     accepted += taken ? 1 : 0;
                   });
  loop_.run_until([&] { return ended == kCalls; });
  EXPECT_EQ(accepted, kCalls);
  EXPECT_LE(bus_.questions, 20);
  const int before = bus_.questions;
  for (int i = 0; i < 600; ++i) accepted += take(first_, limits[0], call) ? 1 : 0;
  EXPECT_EQ(accepted, 1000);
  const int empty = bus_.questions;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(take(first_, limits[0], call));
  EXPECT_EQ(bus_.questions, empty) << "nothing is asked while it is empty; before: " << before;
}

TEST_F(RateLimitsTest, WhenTheBucketCannotBeAskedItsRuleDecides) {
  bus_.away = true;
  auto asked = limit(1s, 1);
  const auto refused = take(first_, asked, call_of("ann"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().error.code, ErrorCode::kRateLimited);
  asked.on_failure = OnFailure::kOpen;
  EXPECT_TRUE(take(first_, asked, call_of("ann")));
  bus_.away = false;
  EXPECT_TRUE(take(first_, asked, call_of("ann")));
  EXPECT_FALSE(take(first_, asked, call_of("ann")));
}

TEST_F(RateLimitsTest, ForgetsWhatIsNotUsed) {
  const auto one = limit(1s, 1);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(take(first_, one, call_of(std::to_string(i))));
  EXPECT_EQ(first_.buckets(), 100U);
  clock_.advance(30s);
  EXPECT_TRUE(take(first_, one, call_of("ann")));
  EXPECT_EQ(first_.buckets(), 1U);
}

}  // namespace
}  // namespace toolway::gateway::admission
