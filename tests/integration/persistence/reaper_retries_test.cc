// When the reaper publishes a call again whose attempt failed long after, or long before, it was
// looked at.
#include "persistence/reaper/call_reaper.h"
#include "proto/publication.h"
#include "tests/integration/persistence/fleet_fixture.h"

namespace toolway::persistence {
namespace {

using std::chrono::seconds;

/// Goes as the test says.
struct SetClock final : Clock {
  WallTime wall() const override { return begun + passed; }
  MonotonicTime monotonic() const override { return real.monotonic(); }
  SystemClock real;
  WallTime begun = real.wall();
  seconds passed{0};
};

/// The reaper's rounds one by one, by its usual times.
class RetriesOnBoth : public FleetFixture {
 protected:
  /// Of a call whose first attempt began now: that it failed, and is tried again after `delay`.
  static void fail_for_now(Script& script, const v1::CallRequest& call, seconds delay) {
    auto retry = script.event(call, 2);
    retry.mutable_retry_at()->set_at_us(retry.time_us() + std::chrono::microseconds(delay).count());
    script.publish(retry);
  }

  /// On the streams, and recorded with all that came before.
  void record(Script& script) {
    const auto messages = script.entries.size();
    publish(script);
    recorded_ += messages;
    ASSERT_TRUE(metrics_.reaches(monitoring::kBatchSize, static_cast<double>(recorded_)));
  }

  unsigned publication(const v1::CallRequest& call) {
    return last_request(call).value_or(v1::CallRequest()).publication();
  }

  SetClock time_;
  std::size_t recorded_ = 0;
};

TEST_F(RetriesOnBoth, AreDueWhenTheySayHoweverLatelyTheReaperLooked) {
  const auto collector = collect(*bus_);
  reaper::ElectedConnection connection(url_);
  ASSERT_TRUE(connection.elected());
  reaper::ReaperMetrics metrics(metrics_);
  reaper::ReaperOptions options;
  options.postgres_url = url_;
  options.window = std::chrono::hours(1);
  reaper::CallReaper calls(*bus_, time_, connection, metrics, options);
  calls.begin_anew();
  const auto round_at = [&](seconds passed) {
    time_.passed = passed;
    const auto done = calls.round(time_.wall());
    ASSERT_TRUE(done) << done.error().message;
  };

  Script running(time_);
  const auto watched = running.call();
  running.started(watched, 1);
  record(running);
  round_at(seconds(16));  // looks at it, and not again for 44 s
  ASSERT_EQ(metrics_.gauge(monitoring::kReaperWatched).value(), 1);

  Script failing(time_);
  failing.session = running.session;
  fail_for_now(failing, watched, seconds(10));
  record(failing);
  Script quick(time_);
  const auto young = quick.call();
  quick.started(young, 1);
  fail_for_now(quick, young, seconds(10));
  record(quick);
  Script soon(time_);
  const auto kept = soon.call();
  soon.started(kept, 1);
  fail_for_now(soon, kept, seconds(4));
  record(soon);

  // Its gateway died after it had written the answer.
  Script parking(time_);
  const auto parked = parking.call();
  parking.started(parked, 1);
  auto answered = parking.event(parked, 2);
  answered.mutable_input_provided()->set_follows(1);
  answered.add_parked_for("k");
  auto& question = *answered.add_questions();
  question.set_key("k");
  question.set_answer("{}");
  parking.publish(answered);
  record(parking);

  round_at(seconds(20));
  EXPECT_EQ(publication(parked), 0U);
  round_at(seconds(22));
  EXPECT_EQ(publication(parked), proto::kAnswered + 1);
  round_at(seconds(25));
  EXPECT_EQ(publication(watched), 0U);
  EXPECT_EQ(publication(young), 0U);
  round_at(seconds(26));
  EXPECT_EQ(publication(watched), 1U);
  EXPECT_EQ(publication(young), 1U);
  EXPECT_EQ(publication(kept), 0U);
}

/// Calls are searched when they are 15 s old.
TEST_F(RetriesOnBoth, AnApprovalExpiresWhenItSaysHoweverSoonThatIs) {
  const auto collector = collect(*bus_);
  reaper::ElectedConnection connection(url_);
  ASSERT_TRUE(connection.elected());
  reaper::ReaperMetrics metrics(metrics_);
  reaper::ReaperOptions options;
  options.postgres_url = url_;
  reaper::CallReaper calls(*bus_, time_, connection, metrics, options);
  calls.begin_anew();
  // Only a new reaper looks for all that are held.
  ASSERT_TRUE(calls.round(time_.wall()));
  Script script(time_);
  auto held = script.call();
  held.mutable_hold()->set_because("two");
  held.mutable_hold()->set_quorum(1);
  held.mutable_hold()->set_expires_at_us(to_unix_us(time_.wall() + seconds(3)));
  script.entries.front().subject = proto::held_subject(script.session);
  script.entries.front().payload = proto::encode(held);
  auto requested = script.event(held, 1);
  *requested.mutable_approval_requested()->mutable_hold() = held.hold();
  script.publish(requested);
  record(script);
  const auto ended_at = [&](seconds passed) {
    time_.passed = passed;
    // Looks at it, and then at what it waits for.
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(calls.round(time_.wall()));
    const auto last = last_event(held);
    return last && last->has_completed() ? last->completed().error().code() : std::string();
  };
  EXPECT_EQ(ended_at(seconds(1)), "");
  EXPECT_EQ(ended_at(seconds(4)), "approval_expired");
}

}  // namespace
}  // namespace toolway::persistence
