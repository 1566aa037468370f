#include "gateway/calls/call_wait.h"

#include <gtest/gtest.h>

#include "monitoring/metric_names.h"
#include "tests/integration/gateway/gateway_fixture.h"
#include "tests/support/test_clock.h"
#include "tests/unit/gateway/bus_loop.h"

namespace toolway::gateway::calls {
namespace {

/// A client that stays.
struct PatientPeer final : wire::PeerWatch {
  void watch(loop::Timer&) override {}
  void unwatch() override {}
  bool gone() const override { return false; }
  void take_closing_for_leaving() override {}
};

class CallWaitTest : public testing::Test {
 protected:
  CallWaitTest() {
    EXPECT_TRUE(memory_->provision({.pools = {{"native", 1}}}));
    request_.set_call_id(CallId::make(clock_.wall()).text());
    request_.set_session_key("a3f00000000000000000000000000001");
    request_.set_user_id("u");
  }
  void follow() {
    wait_ = CallWait::create(context_, request_);
    ASSERT_TRUE(wait_);
    EXPECT_TRUE(loop_.run(wait_->follow(wake_, room_)));
  }
  void complete() {
    auto event = test::completion_of(request_);
    event.mutable_completed()->set_result(std::string(100, 'r'));
    EXPECT_TRUE(loop_.run(loop_.bus().publish(
        {.subject = test::event_subject_of(request_), .payload = proto::encode(event)})));
  }
  /// Whether it returns before its deadline.
  bool wait() {
    const auto deadline = clock_.monotonic() + test::kPatience;
    wait_until(deadline);
    return clock_.monotonic() < deadline;
  }
  void wait_until(MonotonicTime deadline) {
    loop_.run(wait_for(context_, {wait_.get()}, wake_, deadline, peer_));
  }

  const std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  test::MemoryStore recorded_{*memory_};
  test::LossyBus bus_{*memory_};
  BusLoop loop_{bus_};
  test::MovedClock clock_;
  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("test");
  loop::AsyncStore store_{recorded_, clock_, loop_.io_post(), 1};
  live::LiveHub live_{bus_, loop_.io_post(), clock_};
  wire::MemoryBudget memory_budget_{1024 * 1024, metrics_->gauge(monitoring::kMemoryHeld)};
  loop::Drain drain_;
  wire::UserPlaces places_{{.most = 2, .per_user = 1}};
  CallLooks looks_{loop_.bus(), loop_.io().get_executor()};
  WaitContext context_{.store = store_,
                       .live = live_,
                       .places = places_,
                       .looks = looks_,
                       .memory = memory_budget_,
                       .clock = clock_,
                       .drain = drain_,
                       .gap_check = std::chrono::hours(1)};
  v1::CallRequest request_;
  loop::Timer wake_{loop_.io()};
  WaitRoom room_;
  PatientPeer peer_;
  std::unique_ptr<CallWait> wait_;
};

TEST_F(CallWaitTest, EndsWithTheCompletionThatComesLive) {
  follow();
  complete();
  EXPECT_TRUE(wait());
  ASSERT_TRUE(wait_->completion());
  EXPECT_EQ(wait_->completion()->call_id(), request_.call_id());
  EXPECT_EQ(memory_budget_.held(), CallWait::kHeld + 2 * wait_->completion()->ByteSizeLong());
}

TEST_F(CallWaitTest, FindsInTheStreamWhatDidNotComeLive) {
  complete();
  follow();
  context_.gap_check = std::chrono::seconds(0);
  EXPECT_TRUE(wait());
  EXPECT_TRUE(wait_->completion());
}

TEST_F(CallWaitTest, ACompletionWithoutRoomEndsTheWaitAndIsLeftOut) {
  room_.bytes = 100;
  follow();
  complete();
  EXPECT_TRUE(wait());
  EXPECT_TRUE(wait_->ended());
  EXPECT_FALSE(wait_->completion());
  EXPECT_EQ(room_.bytes, 100U);
  EXPECT_EQ(memory_budget_.held(), CallWait::kHeld);
}

TEST_F(CallWaitTest, FindsACallThatEndedLongAgo) {
  complete();
  follow();
  loop_.run(wait_->recall());
  EXPECT_TRUE(wait_->completion());
}

TEST_F(CallWaitTest, TakesAPlaceOfItsUserAndMemoryUntilItIsGone) {
  follow();
  EXPECT_EQ(memory_budget_.held(), CallWait::kHeld);
  EXPECT_FALSE(CallWait::create(context_, request_)) << "its user has no other place";
  wait_.reset();
  EXPECT_EQ(memory_budget_.held(), 0U);
  EXPECT_TRUE(CallWait::create(context_, request_));
}

TEST_F(CallWaitTest, WithoutMemoryThereIsNone) {
  wire::MemoryBudget::Share others(memory_budget_, wire::MemoryUse::kRequest);
  others.resize(memory_budget_.most());
  EXPECT_FALSE(CallWait::create(context_, request_));
  EXPECT_EQ(places_.taken(), 0U);
}

TEST_F(CallWaitTest, AGatewayThatDrainsWaitsNoLonger) {
  follow();
  drain_.begin();
  EXPECT_TRUE(wait());
  EXPECT_FALSE(wait_->ended());
}

TEST_F(CallWaitTest, WaitsByTheClockItIsGiven) {
  clock_.move_monotonic(std::chrono::hours(24));
  follow();
  // A timer that were set to this very instant would expire tomorrow.
  wait_until(clock_.monotonic() + std::chrono::milliseconds(20));
  EXPECT_FALSE(wait_->ended());
}

}  // namespace
}  // namespace toolway::gateway::calls
