#include "persistence/reaper/reap.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "persistence/reaper/idle_sessions.h"
#include "persistence/reaper/new_retries.h"
#include "persistence/reaper/reaper_log.h"
#include "persistence/reaper/watched_calls.h"
#include "persistence/schema/stream_layout.h"
#include "persistence/store/recorded_until.h"
#include "proto/codec.h"

namespace toolway::persistence::reaper {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

const WallTime kSubmitted = from_unix_us(1'800'000'000'000'000);

ReapFacts call(unsigned queue_s = 0, unsigned total_s = 0) {
  ReapFacts facts;
  facts.request.set_submitted_at_us(to_unix_us(kSubmitted));
  facts.request.mutable_limits()->set_queue_ms(queue_s * 1000);
  facts.request.mutable_limits()->set_total_ms(total_s * 1000);
  return facts;
}

/// Says something of attempt `attempt`, `at` after its submission.
v1::CallEvent& say(ReapFacts& facts, unsigned attempt, seconds at) {
  facts.last.emplace();
  facts.last->event.set_attempt(attempt);
  facts.last->event.set_seq(3);
  facts.last->event.set_time_us(to_unix_us(kSubmitted + at));
  return facts.last->event;
}

ReapFacts running(ReapFacts facts, seconds since) {
  say(facts, 1, since).mutable_alive();
  return facts;
}

ReapFacts retrying(seconds said, seconds delay, unsigned publication = 0) {
  auto facts = call();
  facts.request.set_publication(publication);
  say(facts, 2, said).mutable_retry_at()->set_at_us(to_unix_us(kSubmitted + said + delay));
  return facts;
}

ReapFacts cancelled(unsigned attempt, seconds at) {
  auto facts = call();
  say(facts, attempt, at).mutable_cancel_requested();
  return facts;
}

/// Parked by its second attempt; `answered`: and then answered.
ReapFacts parked(ReapFacts facts, seconds at, bool answered, unsigned publication = 0) {
  facts.request.set_publication(publication);
  auto& event = say(facts, 2, at);
  event.add_parked_for("k");
  event.add_questions()->set_key("k");
  if (answered) {
    event.mutable_questions(0)->set_answer("{}");
    event.mutable_input_provided();
  } else {
    event.mutable_input_requested();
  }
  return facts;
}

ReapFacts in_queue(ReapFacts facts, QueueState state) {
  facts.queue_state = state;
  return facts;
}

ReapFacts completed() {
  auto facts = call(1, 1);
  say(facts, 1, seconds(1)).mutable_completed();
  return facts;
}

struct Case {
  std::string name;
  ReapFacts facts;
  seconds now;           ///< after submission
  std::string expected;  ///< the action, or how long it waits in seconds
  seconds recorded = hours(1000);
};

std::string text_of(const Decision& decision, WallTime now) {
  switch (decision.kind) {
    case ReapKind::kForget: return "forget";
    case ReapKind::kRequestApproval: return std::string(decision.action);
    case ReapKind::kWait:
      return std::to_string(std::chrono::duration_cast<seconds>(decision.look_at - now).count());
    case ReapKind::kPublish:
      return std::string(decision.action) + " " + std::to_string(decision.publication);
    case ReapKind::kComplete:
      return std::string(decision.action) + " " +
             std::string(proto::outcome_name(decision.outcome)) + " " +
             std::string(code_name(decision.code));
  }
  return {};
}

TEST(Reap, DecidesByWhatIsKnown) {
  using enum QueueState;
  const std::vector<Case> cases{
      {"completed", completed(), seconds(999), "forget"},
      {"no limits, waits", call(), seconds(1), "59"},
      {"queue limit ahead", call(10, 0), seconds(3), "12"},
      {"queue limit in its slack", call(10, 0), seconds(14), "1"},
      {"queue limit over", call(10, 20), seconds(15), "queue_limit timed_out queue_limit_exceeded"},
      {"queue limit of a started call", running(call(10, 0), seconds(9)), seconds(16), "53"},
      {"total limit over, never started", call(0, 10), seconds(15), "lost lost call_lost"},
      {"total limit over, started", running(call(0, 10), seconds(9)), seconds(15),
       "total_limit timed_out total_limit_exceeded"},
      {"total limit over, not recorded so far", call(0, 10), seconds(15), "1", seconds(10)},
      {"retry not due", retrying(seconds(1), seconds(30)), seconds(11), "20"},
      {"retry due", retrying(seconds(1), seconds(30)), seconds(31), "retry 2"},
      {"retry due, not recorded", retrying(seconds(1), seconds(30)), seconds(31), "1", seconds(1)},
      {"retry that the worker's own message brings", retrying(seconds(1), seconds(5)), seconds(7),
       "59"},
      {"retry published before", retrying(seconds(1), seconds(30), 2), seconds(32), "59"},
      {"retry published before as broken off", retrying(seconds(1), seconds(30), 1002), seconds(32),
       "59"},
      {"retry of an earlier attempt published", retrying(seconds(1), seconds(30), 1), seconds(32),
       "retry 2"},
      {"cancelled, not begun, young", cancelled(0, seconds(1)), seconds(4), "2"},
      {"cancelled, not begun", cancelled(0, seconds(1)), seconds(6),
       "cancelled cancelled cancelled"},
      {"cancelled, not begun, not recorded", cancelled(0, seconds(1)), seconds(6), "1", seconds(1)},
      {"cancelled, running", cancelled(1, seconds(1)), seconds(6), "55"},
      {"cancelled, running, silent, taken", in_queue(cancelled(1, seconds(1)), kTaken), seconds(61),
       "silent 1001"},
      {"silent, queue state unknown", running(call(), seconds(0)), seconds(60), "60"},
      {"silent in its queue", in_queue(call(), kQueued), seconds(60), "60"},
      {"taken and silent", in_queue(call(), kTaken), seconds(60), "silent 1000"},
      {"taken, heard from lately", in_queue(running(call(), seconds(30)), kTaken), seconds(60),
       "30"},
      {"taken and silent, not recorded", in_queue(call(), kTaken), seconds(60), "1", seconds(60)},
      {"gone from the window", in_queue(running(call(), seconds(1)), kGone), seconds(61),
       "silent 1001"},
      {"parked", in_queue(parked(call(), seconds(1), false), kTaken), seconds(999), "60"},
      {"parked, of a call that is old", in_queue(parked(call(), seconds(1), false), kGone),
       hours(99), "60"},
      {"parked, total limit ahead", parked(call(0, 100), seconds(1), false), seconds(90), "15"},
      {"parked, total limit over", parked(call(0, 100), seconds(1), false), seconds(105),
       "total_limit timed_out total_limit_exceeded"},
      {"parked and answered, young", parked(call(), seconds(1), true), seconds(4), "2"},
      {"parked and answered", parked(call(), seconds(1), true), seconds(6), "answered 10002"},
      {"parked and answered, not recorded", parked(call(), seconds(1), true), seconds(6), "1",
       seconds(1)},
      {"parked, answered, published", parked(call(), seconds(1), true, 10002), seconds(6), "55"},
      {"parked, answered, published, lost",
       in_queue(parked(call(), seconds(1), true, 10002), kTaken), seconds(61), "silent 1002"},
      {"gone, given up", in_queue(call(), kGone), hours(48), "lost lost call_lost"},
  };
  for (const auto& one : cases) {
    const auto now = kSubmitted + one.now;
    EXPECT_EQ(text_of(reap(one.facts, kSubmitted + one.recorded, now, {}), now), one.expected)
        << one.name;
  }
}

TEST(Reap, AsksForTheQueueStateOnlyOfWhatIsSilent) {
  const ReapRules rules;
  const auto recorded = kSubmitted + hours(1000);
  EXPECT_FALSE(reap(call(), recorded, kSubmitted + seconds(59), rules).asks_queue_state);
  EXPECT_TRUE(reap(call(), recorded, kSubmitted + seconds(60), rules).asks_queue_state);
}

TEST(Reap, WaitsAgainAfterItsOwnPublication) {
  auto facts = in_queue(call(), QueueState::kTaken);
  facts.republished_at = kSubmitted + seconds(60);
  const auto now = kSubmitted + seconds(61);
  EXPECT_EQ(text_of(reap(facts, now, now, {}), now), "59");
}

TEST(Reap, CompletesAfterTheLastEvent) {
  auto facts = running(call(0, 10), seconds(9));
  facts.started_at = kSubmitted + seconds(2);
  const auto decision = reap(facts, kSubmitted + hours(1), kSubmitted + seconds(20), {});
  auto event = completion_of(facts, &facts.last->event, decision, kSubmitted + seconds(20));
  EXPECT_EQ(event.attempt(), 1U);
  EXPECT_EQ(event.seq(), 4U);
  EXPECT_EQ(event.completed().started_at_us(), to_unix_us(*facts.started_at));
  EXPECT_EQ(event.completed().error().code(), "total_limit_exceeded");
  event = completion_of(facts, nullptr, decision, kSubmitted);
  EXPECT_EQ(event.attempt(), 0U);
  EXPECT_EQ(event.seq(), 1U);
  EXPECT_EQ(event.completed().started_at_us(), 0);
}

/// A page of RetryAt events: of each its sequence, its call, and the delay it says.
RetryPage retries(std::vector<std::tuple<std::uint64_t, std::string, seconds>> said,
                  std::uint64_t floor, bool full = false) {
  RetryPage page{.retries = {}, .full = full, .floor = {1, floor}};
  for (const auto& [sequence, call_id, delay] : said) {
    store::RecordedEvent retry{{1, sequence}, retrying(seconds(1), delay).last->event};
    retry.event.set_call_id(call_id);
    page.retries.push_back(retry);
  }
  return page;
}

TEST(NewRetries, AreThoseThatNoMessageOfAWorkerBrings) {
  const auto page = retries(
      {{4, "b", seconds(6)}, {5, "kept", seconds(5)}, {6, "a", seconds(60)}, {9, "b", seconds(30)}},
      9);
  EXPECT_EQ(page.calls({}), (std::vector<std::string>{"a", "b"}));
}

TEST(NewRetries, AnswersAreThoseOfParkedCalls) {
  RetryPage page{.retries = {}, .full = false, .floor = {1, 9}};
  store::RecordedEvent answered{{1, 4}, parked(call(), seconds(1), true).last->event};
  answered.event.set_call_id("parked");
  page.retries.push_back(answered);
  answered.event.clear_parked_for();
  answered.event.set_call_id("running");
  page.retries.push_back(answered);
  EXPECT_EQ(page.calls({}), (std::vector<std::string>{"parked"}));
}

TEST(Reap, SaysThatNoOneAnswered) {
  const auto facts = parked(call(0, 10), seconds(1), false);
  const auto decision = reap(facts, kSubmitted + hours(1), kSubmitted + seconds(20), {});
  const auto event = completion_of(facts, &facts.last->event, decision, kSubmitted + seconds(20));
  EXPECT_NE(event.completed().error().message().find("before it was answered"), std::string::npos);
}

TEST(NewRetries, AreSeenAsFarAsAllIsRecordedAndRead) {
  EXPECT_EQ(retries({}, 7).seen().sequence, 7U);
  EXPECT_EQ(retries({{9, "a", seconds(6)}}, 7).seen().sequence, 7U);
  EXPECT_EQ(retries({{5, "a", seconds(6)}}, 7).seen().sequence, 7U);
  EXPECT_EQ(retries({{5, "a", seconds(6)}}, 7, true).seen().sequence, 5U);
  EXPECT_EQ(retries({{9, "a", seconds(6)}}, 7, true).seen().sequence, 7U);
}

TEST(WatchedCalls, GivesWhatIsDueLongestDueFirst) {
  WatchedCalls calls;
  calls.put("b", {.submitted_at = kSubmitted + seconds(2)}, kSubmitted + seconds(5));
  calls.put("a", {.submitted_at = kSubmitted + seconds(1)}, kSubmitted + seconds(9));
  calls.put("c", {.submitted_at = kSubmitted + seconds(3)}, kSubmitted + seconds(1));
  EXPECT_EQ(calls.oldest(), kSubmitted + seconds(1));
  EXPECT_EQ(calls.due(kSubmitted + seconds(5), 9), (std::vector<std::string>{"c", "b"}));
  EXPECT_EQ(calls.due(kSubmitted + seconds(5), 1), (std::vector<std::string>{"c"}));
  calls.look_at("c", kSubmitted + seconds(8));
  calls.put("b", {}, kSubmitted + seconds(7));
  calls.look_at("unknown", kSubmitted);
  EXPECT_EQ(calls.due(kSubmitted + seconds(8), 9), (std::vector<std::string>{"b", "c"}));
  calls.forget("b");
  calls.forget("b");
  EXPECT_EQ(calls.find("b"), nullptr);
  EXPECT_EQ(calls.size(), 2U);
}

TEST(RecordedUntil, IsNowOnlyWhenNothingIsLeft) {
  const auto stored = kSubmitted - seconds(7);
  store::Recording recording{.asked_at = kSubmitted, .collector = {}, .oldest_unrecorded = {}};
  EXPECT_EQ(store::recorded_until(recording), kSubmitted);
  recording.oldest_unrecorded = stored;
  EXPECT_EQ(store::recorded_until(recording), kSubmitted);
  recording.collector.ack_pending = 1;
  EXPECT_EQ(store::recorded_until(recording), stored);
  recording.collector = {.ack_floor = 0, .delivered = 0, .pending = 1};
  EXPECT_EQ(store::recorded_until(recording), stored);
  recording.oldest_unrecorded.reset();
  EXPECT_EQ(store::recorded_until(recording), WallTime{});
}

TEST(IdleSessions, ExpireByTheirLastUse) {
  v1::SessionRecord record;
  record.set_state(v1::SessionRecord::STATE_OPEN);
  record.set_updated_at_us(to_unix_us(kSubmitted));
  EXPECT_FALSE(expired(record, kSubmitted + seconds(10), seconds(10)));
  EXPECT_TRUE(expired(record, kSubmitted + seconds(11), seconds(10)));
  record.set_active_at_us(to_unix_us(kSubmitted + seconds(5)));
  EXPECT_FALSE(expired(record, kSubmitted + seconds(11), seconds(10)));
  record.set_state(v1::SessionRecord::STATE_CLOSED);
  EXPECT_FALSE(expired(record, kSubmitted + seconds(99), seconds(10)));
}

TEST(StreamLayout, IsReadAsItWasWritten) {
  const bus::Layout layout{
      .pools = {{"native", 1}, {"gpu", 4}}, .replicas = 3, .max_bytes = 5, .max_age = hours(7)};
  const auto read = schema::parse_layout(schema::layout_text(layout));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->pools.size(), 2U);
  EXPECT_EQ(read->pools[1].name, "gpu");
  EXPECT_EQ(read->pools[1].partitions, 4U);
  EXPECT_EQ(read->replicas, 3U);
  EXPECT_EQ(read->max_bytes, 5);
  EXPECT_EQ(read->max_age, hours(7));
  bus::Layout fewer{.pools = {{"gpu", 2}, {"own", 1}}};
  schema::keep_pools(fewer, *read);
  ASSERT_EQ(fewer.pools.size(), 3U);
  EXPECT_EQ(fewer.pools[0].partitions, 4U);
  EXPECT_EQ(fewer.pools[2].name, "native");
  EXPECT_FALSE(schema::parse_layout("{}"));
  EXPECT_FALSE(schema::parse_layout("]"));
}

}  // namespace
}  // namespace toolway::persistence::reaper
