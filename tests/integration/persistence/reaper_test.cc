#include "persistence/reaper/reaper.h"

#include <atomic>
#include <thread>

#include "bus/key_value.h"
#include "bus/server_time.h"
#include "persistence/reaper/call_reaper.h"
#include "persistence/store/recorded_until.h"
#include "tests/integration/persistence/fleet_fixture.h"
#include "tests/support/test_clock.h"

namespace toolway::persistence {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// The reaper, with all its times so short that a test need not wait.
class ReaperOnBoth : public FleetFixture {
 protected:
  reaper::ReaperOptions options() const {
    reaper::ReaperOptions options;
    options.postgres_url = url_;
    options.every = milliseconds(50);
    options.settle = milliseconds(0);
    options.window = hours(1);  // one round searches all of it
    options.upkeep_every = milliseconds(100);
    options.rules.slack = milliseconds(0);
    options.rules.silence = milliseconds(700);
    options.rules.cancel_after = milliseconds(0);
    options.rules.look_again = milliseconds(50);
    return options;
  }

  std::unique_ptr<reaper::Reaper> reaper(const reaper::ReaperOptions& chosen) {
    return reaper::start_reaper(*bus_, metrics_, clock_, chosen);
  }

  /// A call with limits, submitted some time ago.
  static v1::CallRequest call(Script& script, unsigned queue_ms, unsigned total_ms,
                              milliseconds ago) {
    auto call = script.call(R"({"a": 1})");
    call.mutable_limits()->set_queue_ms(queue_ms);
    call.mutable_limits()->set_total_ms(total_ms);
    call.set_submitted_at_us(call.submitted_at_us() - std::chrono::microseconds(ago).count());
    script.entries.back().payload = proto::encode(call);
    return call;
  }

  /// Pulls what a pool's durable has and acknowledges it, as a worker that then dies.
  void take(std::size_t count) {
    test::Awaited<int> taken;
    auto ack = [done = taken.callback()](bus::Delivery delivery) {
      delivery.ack();
      done(0);
    };
    auto pull = bus_->pull({std::string(proto::kCallsStream), "native-normal-0"}, ack);
    pull->allow(count);
    for (std::size_t i = 0; i < count; ++i) ASSERT_TRUE(taken.next());
  }

  void expect_ended(const v1::CallRequest& call, v1::Outcome outcome, std::string_view code,
                    unsigned attempt, unsigned seq) {
    const auto event = last_event(call);
    ASSERT_TRUE(event && event->has_completed());
    EXPECT_EQ(event->completed().outcome(), outcome);
    EXPECT_EQ(event->completed().error().code(), code);
    EXPECT_EQ(event->attempt(), attempt);
    EXPECT_EQ(event->seq(), seq);
  }
};

TEST_F(ReaperOnBoth, CompletesWhatExceedsItsLimits) {
  Script script(clock_);
  const auto queued = call(script, 1000, 0, seconds(10));
  const auto lost = call(script, 0, 1000, seconds(10));
  const auto broken = call(script, 1000, 2000, seconds(10));
  script.started(broken, 1);
  script.alive(broken, 2);
  const auto waits = call(script, 0, 60'000, seconds(0));
  publish(script);
  const auto collector = collect(*bus_);
  const auto running = reaper(options());
  ASSERT_TRUE(metrics_.reaches(monitoring::kReaped, 3));
  expect_ended(queued, v1::OUTCOME_TIMED_OUT, "queue_limit_exceeded", 0, 1);
  expect_ended(lost, v1::OUTCOME_LOST, "call_lost", 0, 1);
  expect_ended(broken, v1::OUTCOME_TIMED_OUT, "total_limit_exceeded", 1, 3);
  EXPECT_FALSE(last_event(waits));
}

TEST_F(ReaperOnBoth, CompletesAcallWhoseEventsHaveLeftTheStream) {
  Script script(clock_);
  const auto old = call(script, 0, 1000, seconds(10));
  script.started(old, 1);
  script.alive(old, 2);
  collector::BatchWriter writer(url_, clock_);
  write_all(writer, script.messages());  // and not on the streams
  const auto running = reaper(options());
  ASSERT_TRUE(metrics_.reaches(monitoring::kReaped, 1));
  expect_ended(old, v1::OUTCOME_TIMED_OUT, "total_limit_exceeded", 1, 3);
}

TEST_F(ReaperOnBoth, PublishesAgainWhatMustBeTriedAgain) {
  Script script(clock_);
  const auto due = call(script, 0, 0, seconds(0));
  script.started(due, 1);
  auto retry = script.event(due, 2);
  retry.set_time_us(retry.time_us() - 20'000'000);
  retry.mutable_retry_at()->set_at_us(retry.time_us() + 10'000'000);
  script.publish(retry);
  Script other(clock_);
  const auto later = call(other, 0, 0, seconds(0));
  other.started(later, 1);
  other.retry_at(later, 2);
  publish(script);
  publish(other);
  const auto collector = collect(*bus_);
  const auto running = reaper(options());
  ASSERT_TRUE(metrics_.reaches(monitoring::kReaped, 1));
  const auto again = last_request(due);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->publication(), 1U);
  EXPECT_EQ(again->arguments(), due.arguments());
  EXPECT_EQ(again->call_id(), due.call_id());
  ASSERT_TRUE(last_request(later));
  EXPECT_EQ(last_request(later)->publication(), 0U);
  EXPECT_EQ(stored(proto::kCallsStream), 3U);
}

TEST_F(ReaperOnBoth, PublishesAgainWhatWasAcknowledgedAndNeverEnded) {
  Script script(clock_);
  const auto begun = call(script, 0, 0, seconds(0));
  script.started(begun, 1);
  publish(script);
  take(1);
  Script waiting(clock_);
  const auto queued = call(waiting, 0, 0, seconds(0));
  publish(waiting);
  const auto collector = collect(*bus_);
  const auto running = reaper(options());
  ASSERT_TRUE(metrics_.reaches(monitoring::kReaped, 1));
  ASSERT_TRUE(last_request(begun));
  EXPECT_EQ(last_request(begun)->publication(), 1001U);
  ASSERT_TRUE(last_request(queued));
  EXPECT_EQ(last_request(queued)->publication(), 0U);
}

TEST_F(ReaperOnBoth, PublishesAgainWhatLeftTheWindowAndGivesUpAtLast) {
  Script script(clock_);
  const auto young = call(script, 0, 0, seconds(10));
  Script older(clock_);
  const auto old = call(older, 0, 0, hours(49));
  collector::BatchWriter writer(url_, clock_);
  write_all(writer, script.messages());
  write_all(writer, older.messages());
  const auto running = reaper(options());
  ASSERT_TRUE(metrics_.reaches(monitoring::kReaped, 2));
  ASSERT_TRUE(last_request(young));
  EXPECT_EQ(last_request(young)->publication(), 1000U);
  EXPECT_FALSE(last_event(young));
  expect_ended(old, v1::OUTCOME_LOST, "call_lost", 0, 1);
}

TEST_F(ReaperOnBoth, CompletesWhatWasCancelledBeforeItBegan) {
  Script script(clock_);
  const auto cancelled = call(script, 0, 0, seconds(0));
  auto event = script.event(cancelled, 1);
  event.set_attempt(0);
  event.mutable_cancel_requested();
  script.publish(event);
  publish(script);
  const auto collector = collect(*bus_);
  const auto running = reaper(options());
  ASSERT_TRUE(metrics_.reaches(monitoring::kReaped, 1));
  expect_ended(cancelled, v1::OUTCOME_CANCELLED, "cancelled", 0, 2);
}

TEST_F(ReaperOnBoth, ClosesUnusedSessions) {
  const auto collector = collect(*bus_);
  bus::KeyValue bucket(*bus_, std::string(proto::kSessionsBucket));
  const auto put = [&](const std::string& name, seconds ago) {
    v1::SessionRecord record;
    record.set_tenant_id("default");
    record.set_user_id("ann");
    record.set_session_id(name);
    record.set_session_key(SessionKey::make().text());
    record.add_namespaces("time");
    record.set_state(v1::SessionRecord::STATE_OPEN);
    record.set_created_at_us(to_unix_us(clock_.wall()) - 99'000'000);
    record.set_updated_at_us(record.created_at_us());
    record.set_active_at_us(to_unix_us(clock_.wall() - ago));
    auto written = bus::answer_of<std::uint64_t>([&](auto handler) {
      bucket.put(proto::session_bucket_key("default", "ann", name), proto::encode(record), 0,
                 handler);
    });
    EXPECT_TRUE(written);
    return record;
  };
  const auto idle = put("idle", seconds(90));
  put("used", seconds(0));
  const auto busy = put("busy", seconds(90));
  Script script(clock_);
  script.session = *SessionKey::parse(busy.session_key());
  script.call();
  publish(script);
  ASSERT_TRUE(metrics_.reaches(monitoring::kBatchSize, 4));
  auto chosen = options();
  chosen.session_idle = seconds(60);
  const auto running = reaper(chosen);
  ASSERT_TRUE(metrics_.reaches(monitoring::kReaped, 1));
  const auto state_of = [&](const std::string& name) {
    auto entry = bus::answer_of<bus::Entry>([&](auto handler) {
      bucket.get(proto::session_bucket_key("default", "ann", name), handler);
    });
    return entry ? proto::decode_session(entry->value).value() : v1::SessionRecord();
  };
  EXPECT_EQ(state_of("idle").state(), v1::SessionRecord::STATE_CLOSED);
  EXPECT_EQ(state_of("idle").closing(), v1::SessionRecord::CLOSING_EXPIRED);
  EXPECT_NE(state_of("idle").closed_at_us(), 0);
  EXPECT_EQ(state_of("used").state(), v1::SessionRecord::STATE_OPEN);
  EXPECT_EQ(state_of("busy").state(), v1::SessionRecord::STATE_OPEN);
}

TEST_F(ReaperOnBoth, DoesNoHarmWhenTwoActAtOnce) {
  Script script(clock_);
  std::vector<v1::CallRequest> over;
  for (int i = 0; i < 20; ++i) over.push_back(call(script, 1000, 0, seconds(10)));
  for (int i = 0; i < 20; ++i) {
    const auto again = call(script, 0, 0, seconds(0));
    auto retry = script.event(again, 1);
    retry.set_time_us(retry.time_us() - 20'000'000);
    retry.mutable_retry_at()->set_at_us(retry.time_us() + 10'000'000);
    script.publish(retry);
  }
  publish(script);
  const auto collector = collect(*bus_);
  ASSERT_TRUE(metrics_.reaches(monitoring::kBatchSize, 60));
  // Neither asks for the lock: both believe that they have it.
  const auto chosen = options();
  const auto act = [&] {
    reaper::ElectedConnection connection(url_);
    ASSERT_TRUE(connection.elected());
    reaper::ReaperMetrics metrics(metrics_);
    reaper::CallReaper calls(*bus_, clock_, connection, metrics, chosen);
    calls.begin_anew();
    const auto recorded = clock_.wall() + seconds(1);
    for (int i = 0; i < 3; ++i) {
      auto done = calls.round(recorded);
      EXPECT_TRUE(done) << done.error().message;
    }
  };
  std::thread other(act);
  act();
  other.join();
  EXPECT_EQ(stored(proto::kCallsStream), 60U);
  EXPECT_EQ(stored(proto::kEventsStream), 40U);
  for (const auto& one : over) {
    expect_ended(one, v1::OUTCOME_TIMED_OUT, "queue_limit_exceeded", 0, 1);
  }
}

TEST_F(ReaperOnBoth, ForgetsWhatIsDroppedAndContinuesWithoutWhatItCannotRead) {
  Script script(clock_);
  call(script, 60'000, 0, seconds(0));
  const auto poisoned = call(script, 1000, 0, seconds(10));
  const auto over = call(script, 1000, 0, seconds(10));
  publish(script);
  const auto collector = collect(*bus_);
  ASSERT_TRUE(metrics_.reaches(monitoring::kBatchSize, 3));
  query("UPDATE calls SET request = '\\x00' WHERE call_id = '" + poisoned.call_id() + "'");
  reaper::ElectedConnection connection(url_);
  ASSERT_TRUE(connection.elected());
  reaper::ReaperMetrics metrics(metrics_);
  const auto chosen = options();
  test::MovedClock clock;
  reaper::CallReaper calls(*bus_, clock, connection, metrics, chosen);
  calls.begin_anew();
  ASSERT_TRUE(calls.round(clock_.wall() + seconds(1)));
  EXPECT_EQ(metrics_.gauge(monitoring::kReaperWatched).value(), 2);
  expect_ended(over, v1::OUTCOME_TIMED_OUT, "queue_limit_exceeded", 0, 1);
  query("DELETE FROM calls");
  clock.move_wall(hours(1));
  ASSERT_TRUE(calls.round(clock.wall()));
  EXPECT_EQ(metrics_.gauge(monitoring::kReaperWatched).value(), 0);
}

TEST_F(ReaperOnBoth, IsAnotherCollectorWhenItsConnectionIsCutOrItEnds) {
  const auto collector = collect(*bus_);
  SignallingMetrics second_metrics;
  auto first = reaper(options());
  ASSERT_TRUE(metrics_.reaches(monitoring::kReaperLeader, 1));
  const auto second = reaper::start_reaper(*bus_, second_metrics, clock_, options());
  // Of this database: the one of the test before may still be held.
  const std::string held =
      "FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM "
      "pg_database WHERE datname = current_database())";
  EXPECT_EQ(query("SELECT count(*) " + held), "1");
  query("SELECT pg_terminate_backend(pid) " + held);
  test::Awaited<int> completions;
  auto heard = [done = completions.callback()](const bus::LiveMessage&) { done(0); };
  const auto following = bus_->follow(std::string(proto::kLiveFilter), heard);
  ASSERT_TRUE(following);
  Script script(clock_);
  const auto one = call(script, 1000, 0, seconds(10));
  publish(script);
  // One of the two is elected and acts.
  EXPECT_TRUE(completions.next());
  expect_ended(one, v1::OUTCOME_TIMED_OUT, "queue_limit_exceeded", 0, 1);
  first.reset();
  ASSERT_TRUE(second_metrics.reaches(monitoring::kReaperLeader, 1));
  const auto published = script.entries.size();
  const auto another = call(script, 1000, 0, seconds(10));
  publish(script, published);
  EXPECT_TRUE(completions.next());
  expect_ended(another, v1::OUTCOME_TIMED_OUT, "queue_limit_exceeded", 0, 1);
}

TEST_F(ReaperOnBoth, MakesDurablesAgainAndLosesNothing) {
  auto written = schema::store_layout(url_, layout_);
  ASSERT_TRUE(written) << written.error().message;
  const auto collector = collect(*bus_);
  const auto running = reaper(options());
  Script script(clock_);
  for (int i = 0; i < 50; ++i) script.completed(script.call(), 1);
  publish(script);
  ASSERT_TRUE(metrics_.reaches(monitoring::kBatchSize, 100));
  delete_durable(proto::kEventsStream, proto::kCollectorDurable);
  // One after the other: who makes one again makes whatever is gone by then, and counts what it had
  // missed.
  ASSERT_TRUE(metrics_.reaches(monitoring::kReaped, 1));
  delete_durable(proto::kCallsStream, "native-normal-0");
  const auto published = script.entries.size();
  for (int i = 0; i < 50; ++i) script.completed(script.call(), 1);
  publish(script, published);
  ASSERT_TRUE(metrics_.reaches(monitoring::kReaped, 2));
  // The first half of EVENTS comes again.
  ASSERT_TRUE(metrics_.reaches(monitoring::kBatchSize, 250));
  EXPECT_EQ(query("SELECT (SELECT count(*) FROM calls), (SELECT count(*) FROM completions), "
                  "(SELECT count(*) FROM dead_events)"),
            "100|100|0");
  take(100);
}

TEST_F(ReaperOnBoth, GoesByTheServersTimeWhateverItsMachineSays) {
  test::MovedClock machine;
  bus::ServerClock clock(machine);
  machine.move_wall(hours(1));
  const auto read = bus::read_server_time(*bus_, clock, "reaper-test");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_LT(std::chrono::abs(clock.wall() - clock_.wall()), seconds(1));
  Script script(clock_);
  const auto over = call(script, 0, 1000, seconds(10));
  const auto waits = call(script, 0, 1'800'000, seconds(0));  // over by the machine's clock
  publish(script);
  const auto collector = collect(*bus_);
  const auto running = reaper::start_reaper(*bus_, metrics_, clock, options());
  ASSERT_TRUE(metrics_.reaches(monitoring::kReaped, 1));
  Script later(clock_);
  const auto another = call(later, 0, 1000, seconds(10));
  publish(later);
  ASSERT_TRUE(metrics_.reaches(monitoring::kReaped, 2));
  expect_ended(over, v1::OUTCOME_LOST, "call_lost", 0, 1);
  expect_ended(another, v1::OUTCOME_LOST, "call_lost", 0, 1);
  EXPECT_FALSE(last_event(waits));
}

TEST_F(ReaperOnBoth, WhoseClockIsWrongLeavesItToAnotherOne) {
  Script script(clock_);
  const auto over = call(script, 0, 1000, seconds(10));
  publish(script);
  const auto collector = collect(*bus_);
  std::atomic<bool> right = true;
  auto wrong = options();
  wrong.clock_is_right = [&right] { return right.load(); };
  SignallingMetrics of_first;
  const auto first = reaper::start_reaper(*bus_, of_first, clock_, wrong);
  ASSERT_TRUE(of_first.reaches(monitoring::kReaped, 1));
  EXPECT_EQ(of_first.gauge(monitoring::kReaperLeader).value(), 1);
  expect_ended(over, v1::OUTCOME_LOST, "call_lost", 0, 1);
  right = false;
  const auto second = reaper(options());
  Script later(clock_);
  const auto other = call(later, 0, 1000, seconds(10));
  publish(later);
  ASSERT_TRUE(metrics_.reaches(monitoring::kReaped, 1)) << "the lock was not given up";
  expect_ended(other, v1::OUTCOME_LOST, "call_lost", 0, 1);
  EXPECT_EQ(of_first.gauge(monitoring::kReaperLeader).value(), 0);
}

}  // namespace
}  // namespace toolway::persistence
