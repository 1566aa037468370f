#include "gateway/mailbox/recorded.h"

#include <gtest/gtest.h>

#include "bus/in_memory_bus.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "tests/support/test_clock.h"
#include "tests/unit/gateway/bus_loop.h"

namespace toolway::gateway::mailbox {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class RecordedTest : public testing::Test {
 protected:
  RecordedTest() {
    EXPECT_TRUE(memory_->provision({.pools = {{"native", 1}}}));
    publish(kSession);
  }
  void publish(const SessionKey& session) {
    const auto id = CallId::make(SystemClock().wall());
    v1::CallRequest call;
    call.set_call_id(id.text());
    EXPECT_TRUE(loop_.run(loop_.bus().publish(
        {.subject = proto::call_subject("native", proto::Lane::kNormal, 0, session),
         .payload = proto::encode(call)})));
  }
  /// Records what is in the stream, as a collector does.
  void record() {
    const auto pull =
        memory_->pull({"CALLS", "collector"}, [](bus::Delivery delivery) { delivery.ack(); });
    pull->allow(100);
    memory_->quiesce();
  }
  Recorded ask(const SessionKey& session, milliseconds patience = milliseconds(0)) {
    return loop_.run(await_recorded(watch_, proto::kCallsStream,
                                    proto::session_calls_filter(session), patience));
  }

  static inline const SessionKey kSession = *SessionKey::parse("a3f00000000000000000000000000001");
  static inline const SessionKey kOther = *SessionKey::parse("a3f00000000000000000000000000002");
  const std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  BusLoop loop_{*memory_};
  loop::Drain drain_;
  test::MovedClock clock_;
  const RecordWatch watch_{.bus = loop_.bus(), .clock = clock_, .drain = drain_};
};

TEST_F(RecordedTest, WaitsForWhatTheFilterMatchesAndForNothingElse) {
  EXPECT_EQ(ask(kSession), Recorded::kNotYet);
  EXPECT_EQ(ask(kOther), Recorded::kAll);
  record();
  EXPECT_EQ(ask(kSession), Recorded::kAll);
  publish(kSession);
  EXPECT_EQ(ask(kSession), Recorded::kNotYet);
}

TEST_F(RecordedTest, AGatewayThatDrainsWaitsNoLonger) {
  drain_.begin();
  const auto begun = steady_clock::now();
  EXPECT_EQ(ask(kSession, test::kPatience), Recorded::kNotYet);
  EXPECT_LT(steady_clock::now() - begun, test::kPatience);
}

TEST_F(RecordedTest, WaitsByTheClockItIsGiven) {
  clock_.move_monotonic(std::chrono::hours(24));
  EXPECT_EQ(ask(kSession, milliseconds(20)), Recorded::kNotYet);
}

TEST_F(RecordedTest, WithoutTheBusItIsUnknown) {
  memory_->disconnect();
  EXPECT_EQ(ask(kSession, test::kPatience), Recorded::kUnknown);
}

}  // namespace
}  // namespace toolway::gateway::mailbox
