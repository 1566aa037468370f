#include "gateway/admission/bus_watch.h"

#include <gtest/gtest.h>

#include "bus/in_memory_bus.h"
#include "proto/subjects.h"
#include "tests/support/test_clock.h"
#include "tests/unit/gateway/bus_loop.h"

namespace toolway::gateway::admission {
namespace {

class BusWatchTest : public ::testing::Test {
 protected:
  BusWatchTest() {
    EXPECT_TRUE(memory_->provision({.pools = {{"native", 1}}}));
    asio::co_spawn(loop_.io(), watch_.run(), [this](std::exception_ptr) { ended_ = true; });
    look();
  }
  ~BusWatchTest() override {
    watch_.stop();
    loop_.run_until([this] { return ended_; });
  }

  /// Another round of questions.
  void look() {
    const auto before = watch_.facts().at;
    clock_.advance(std::chrono::seconds(1));
    watch_.ask_now();
    loop_.run_until([&] { return watch_.facts().at != before; });
  }
  std::uint64_t waiting() const { return watch_.facts().waiting_in("native"); }

  const std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  test::StoppedClock clock_;
  BusLoop loop_{*memory_};
  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("test");
  WorkerRoster workers_{*memory_, loop_.io_post(), clock_};
  FleetShares fleet_;
  BusWatch watch_{
      loop_.bus(), clock_, *metrics_, {}, {workers_, fleet_}, loop_.io().get_executor()};
  bool ended_ = false;
};

TEST_F(BusWatchTest, SeesACallInAQueueThatHadNone) {
  look();
  EXPECT_EQ(waiting(), 0U);
  const auto subject = proto::call_subject("native", proto::Lane::kNormal, 0, SessionKey::make());
  ASSERT_TRUE(loop_.run(loop_.bus().publish({.subject = subject, .payload = "x"})));
  look();
  EXPECT_EQ(waiting(), 1U);
}

// Its PubAck may come after the round that has seen the call delivered.
TEST_F(BusWatchTest, ForgetsACallThatWasDeliveredBeforeItWasKnownHere) {
  v1::CallRequest call;
  call.set_pool("native");
  call.set_session_key(SessionKey::make().text());
  watch_.accepted(call, {}, 1);
  EXPECT_EQ(watch_.shares().entries(), 1U);
  look();
  EXPECT_EQ(watch_.shares().entries(), 0U);
}

TEST_F(BusWatchTest, KeepsTheSizesOfBucketsBetweenItsQuestions) {
  for (int i = 0; i < 7; ++i) {
    look();
    EXPECT_TRUE(watch_.facts().streams.contains(proto::kSessionsStream)) << i;
  }
}

}  // namespace
}  // namespace toolway::gateway::admission
