// Postgres stopped, frozen or black-holed: what each process does then, and that it ends.
#include <future>

#include "tests/e2e/outage/never_accepts.h"
#include "tests/e2e/outage/outage_fleet.h"

#include <csignal>

namespace toolway::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class PostgresOutage : public OutageFleet {
 protected:
  /// More reads than the gateway has connections, in progress when it begins.
  static constexpr int kReads = 8;

  void expect_calls_run_and_reads_are_refused() {
    std::vector<std::future<Timed>> reads;
    for (int i = 0; i < kReads; ++i)
      reads.push_back(std::async(std::launch::async, [this] { return read(); }));
    EXPECT_TRUE(succeeds()) << logs();
    // Just ended, so these wait for its record, too.
    expect_reads_are_answered();
    const auto gateway = ready("gateway");
    EXPECT_EQ(gateway.status, 200) << gateway.body;
    EXPECT_EQ(ready("worker").status, 200);
    for (auto& waiting : reads) expect_refused(waiting.get());
    EXPECT_TRUE(becomes_true([&] {
      return ready("gateway").body.find(R"("postgres":"does not answer")") != std::string::npos;
    }));
    EXPECT_EQ(ready("gateway").status, 200);
    EXPECT_TRUE(becomes_true([&] { return ready("collector").status == 503; }));
    // A connection that is refused says the one, silence the other.
    const auto collector = ready("collector").body;
    EXPECT_TRUE(collector == "Postgres does not answer\n" ||
                collector == "Postgres cannot be reached\n")
        << collector;
    // Known by now: refused at once.
    expect_refused(read());
    EXPECT_TRUE(succeeds()) << logs();
    expect_all_run();
  }

  static void expect_refused(const Timed& answer) {
    EXPECT_EQ(answer.status, 503) << answer.body;
    EXPECT_NE(answer.body.find("store_unavailable"), std::string::npos) << answer.body;
    EXPECT_LT(answer.took, milliseconds(3000)) << answer.body;
  }

  /// By themselves, once Postgres is back.
  void expect_recovery() {
    EXPECT_TRUE(becomes_true([&] { return read().status == 200; })) << read().body << logs();
    EXPECT_TRUE(becomes_true([&] { return ready("collector").status == 200; })) << logs();
  }

  void dispatch_reads() {
    for (int i = 0; i < kReads; ++i)
      under_way_.push_back(std::async(std::launch::async, [this] { return read(); }));
  }
  std::vector<std::future<Timed>> under_way_;
};

TEST_F(PostgresOutage, StoppedCallsRunAndEverythingEnds) {
  servers_->postgres->stop(SIGQUIT);
  expect_calls_run_and_reads_are_refused();
  expect_all_end();
  const auto back = servers_->postgres->restart();
  ASSERT_TRUE(back) << back.error().message;
}

TEST_F(PostgresOutage, FrozenCallsRunAndItRecovers) {
  {
    const Frozen frozen(postgres_pids());
    expect_calls_run_and_reads_are_refused();
  }
  expect_recovery();
}

TEST_F(PostgresOutage, FrozenEverythingEnds) {
  const Frozen frozen(postgres_pids());
  dispatch_reads();
  EXPECT_TRUE(succeeds()) << logs();
  expect_all_end();
}

TEST_F(PostgresOutage, BlackHoledCallsRunAndItRecovers) {
  to_postgres_->stall(std::chrono::hours(1));
  expect_calls_run_and_reads_are_refused();
  to_postgres_->stall(milliseconds(0));
  expect_recovery();
}

TEST_F(PostgresOutage, BlackHoledEverythingEnds) {
  to_postgres_->stall(std::chrono::hours(1));
  dispatch_reads();
  EXPECT_TRUE(succeeds()) << logs();
  expect_all_end();
}

TEST_F(PostgresOutage, NeverAcceptingCallsRunAndEverythingEnds) {
  const auto port = to_postgres_->port();
  to_postgres_.reset();
  const NeverAccepts silent(port);
  expect_calls_run_and_reads_are_refused();
  expect_all_end();
}

}  // namespace
}  // namespace toolway::cli
