// NATS stopped, frozen or slow: what each process does then, and that it ends.
#include <csignal>
#include <future>

#include "tests/e2e/outage/outage_fleet.h"

namespace toolway::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class NatsOutage : public OutageFleet {
 protected:
  /// One call that is in progress when it begins, and those that come later.
  void expect_calls_are_refused_in_time() {
    auto reads = std::async(std::launch::async, [this] { expect_reads_are_answered(); });
    const auto first = call();
    reads.get();
    EXPECT_EQ(first.status, 503) << first.body;
    // The spec is looked for, then the call published, five seconds each at most.
    EXPECT_LT(first.took, seconds(10)) << first.body;
    EXPECT_TRUE(becomes_true([&] { return ready("gateway").status == 503; }))
        << ready("gateway").body;
    EXPECT_NE(
        ready("gateway").body.find(
            "does not answer\",\"switches\":\"ok\",\"policies\":\"ok\",\"clock\":\"ok\",\"postgres\":\"ok\""),
        std::string::npos)
        << ready("gateway").body;
    for (const char* role : {"worker", "collector"}) {
      EXPECT_TRUE(becomes_true([&] { return ready(role).status == 503; }))
          << role << ready(role).body;
      EXPECT_NE(ready(role).body.find("does not answer"), std::string::npos) << ready(role).body;
    }
    // Known by now, so it certainly does not run and is refused at once.
    const auto later = call();
    EXPECT_EQ(later.status, 503) << later.body;
    EXPECT_NE(later.body.find("bus_unavailable"), std::string::npos) << later.body;
    EXPECT_LT(later.took, seconds(3)) << later.body;
    expect_reads_are_answered();
    expect_all_run();
  }

  void expect_recovery() {
    EXPECT_TRUE(becomes_true([&] { return succeeds(); })) << call().body << logs();
    for (const char* role : {"gateway", "worker", "collector"})
      EXPECT_TRUE(becomes_true([&] { return ready(role).status == 200; }))
          << role << ready(role).body;
  }
};

TEST_F(NatsOutage, FrozenCallsAreRefusedAndItRecovers) {
  {
    const Frozen frozen(nats_pids());
    expect_calls_are_refused_in_time();
  }
  expect_recovery();
}

TEST_F(NatsOutage, FrozenEverythingEnds) {
  const Frozen frozen(nats_pids());
  auto under_way = std::async(std::launch::async, [this] { return call(); });
  EXPECT_NE(ready("gateway").status, 0);
  expect_all_end();
}

TEST_F(NatsOutage, BlackHoledCallsAreRefusedAndEverythingEnds) {
  to_nats_->stall(std::chrono::hours(1));
  expect_calls_are_refused_in_time();
  expect_all_end();
}

TEST_F(NatsOutage, StoppedCallsAreRefusedAndItRecoversAndEnds) {
  servers_->nats->stop(SIGKILL);
  expect_calls_are_refused_in_time();
  auto back = servers_->nats->restart();
  ASSERT_TRUE(back) << back.error().message;
  expect_recovery();
  servers_->nats->stop(SIGKILL);
  expect_all_end();
  back = servers_->nats->restart();
  ASSERT_TRUE(back) << back.error().message;
}

TEST_F(NatsOutage, SlowCallsRunAndEverythingEnds) {
  to_nats_->delay(milliseconds(150));
  EXPECT_TRUE(succeeds()) << logs();
  expect_reads_are_answered();
  // Long enough for several rounds of everything that is asked.
  const auto until = Steady::now() + seconds(6);
  EXPECT_TRUE(
      becomes_true([&] { return Steady::now() > until || ready("gateway").status != 200; }));
  for (const char* role : {"gateway", "worker", "collector"})
    EXPECT_EQ(ready(role).status, 200) << role << ready(role).body;
  EXPECT_TRUE(succeeds()) << logs();
  expect_all_run();
  expect_all_end();
}

}  // namespace
}  // namespace toolway::cli
