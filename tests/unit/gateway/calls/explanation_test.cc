#include "gateway/calls/explanation.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/json.h"
#include "proto/approvals.h"

namespace toolway::gateway::calls {
namespace {

using std::chrono::seconds;
constexpr std::int64_t kNowUs = 1'000'000'000'000;
constexpr std::int64_t kSecond = 1'000'000;

v1::CallEvent event(unsigned attempt, unsigned seq, std::int64_t ago_s, std::string worker = "w1") {
  v1::CallEvent event;
  event.set_attempt(attempt);
  event.set_seq(seq);
  event.set_time_us(kNowUs - ago_s * kSecond);
  event.set_worker_id(std::move(worker));
  return event;
}
v1::CallEvent started(unsigned attempt, unsigned seq, std::int64_t ago_s) {
  auto made = event(attempt, seq, ago_s);
  made.mutable_started()->set_started_at_us(made.time_us());
  return made;
}
admission::HeardWorker worker(std::uint32_t slots, std::uint32_t held) {
  admission::HeardWorker worker;
  worker.said.set_worker_id("w1");
  worker.said.set_pool("native");
  worker.said.set_host("h1");
  worker.said.set_slots(slots);
  worker.said.set_held(held);
  worker.wall = from_unix_us(kNowUs - kSecond);
  return worker;
}
LimitFacts limit(const char* name, extensions::LimitKind kind, const char* key) {
  return {.limit = {.name = name, .rate = {}, .per = {}, .kind = kind, .most = 4},
          .key = key,
          .refuses_since = {}};
}
/// A call that waits, with one idle worker.
CallFacts waiting() {
  CallFacts facts;
  facts.call_id = "c";
  facts.now = from_unix_us(kNowUs);
  facts.call.emplace();
  facts.request.emplace();
  facts.request->set_submitted_at_us(kNowUs - 10 * kSecond);
  facts.pool = "native";
  facts.queue =
      admission::QueueFacts{"native-normal-0", proto::Lane::kNormal, 0, {.pending = 100}, 50};
  facts.workers = {worker(4, 0)};
  return facts;
}

v1::CallRequest held_request() {
  v1::CallRequest request;
  request.set_submitted_at_us(kNowUs - 10 * kSecond);
  request.mutable_hold()->set_because("requires_approval");
  request.mutable_hold()->set_quorum(1);
  request.mutable_hold()->set_expires_at_us(kNowUs + 60 * kSecond);
  return request;
}

struct Case {
  const char* name;
  std::function<void(CallFacts&)> change;
  std::string state;
  std::vector<std::string> codes;
  std::string says;  ///< somewhere in the messages
};

TEST(Explanation, SaysForEachStateWhatTheFactsSay) {
  const std::vector<Case> cases{
      {"nothing in the way", [](CallFacts&) {}, "queued", {}, "nothing blocks it"},
      {"no worker",
       [](CallFacts& f) { f.workers.clear(); },
       "queued",
       {"no_worker"},
       "toolway worker --pool native"},
      {"all drain",
       [](CallFacts& f) { f.workers[0].said.set_draining(true); },
       "queued",
       {"no_worker"},
       "is draining"},
      {"slots",
       [](CallFacts& f) {
         f.workers = {worker(4, 4)};
         f.position = 100;
       },
       "queued",
       {"slots_full", "queued_behind"},
       "about 100 calls are ahead of it in its queue, which moves at 50 calls a second: about 2.0 s"},
      {"first in a queue that rests",
       [](CallFacts& f) {
         f.position = 1;
         f.queue->drained = 0;
       },
       "queued",
       {"queued_behind"},
       "it is at the head of its queue, which is not moving right now."},
      {"handed out",
       [](CallFacts& f) { f.position = 0; },
       "queued",
       {"handed_out"},
       "a worker has received it"},
      {"its tool is busy",
       [](CallFacts& f) {
         f.position = 0;
         f.limits = {limit("four", extensions::LimitKind::kRunning, "k")};
         auto& full = *f.workers[0].said.add_full_limits();
         full.set_limit("four");
         full.set_key("k");
         full.set_most(4);
         full.set_since_us(kNowUs - 12 * kSecond);
       },
       "queued",
       {"tool_busy"},
       "limit four of the policy lets 4 such calls run at once, and as many have been running for "
       "12.0 s"},
      {"its tool is busy with one",
       [](CallFacts& f) {
         f.position = 0;
         f.limits = {limit("one", extensions::LimitKind::kRunning, "k")};
         auto& full = *f.workers[0].said.add_full_limits();
         full.set_limit("one");
         full.set_key("k");
         full.set_most(1);
         full.set_since_us(kNowUs - 12 * kSecond);
       },
       "queued",
       {"tool_busy"},
       "limit one of the policy lets one such call run at a time, and one has been running for "
       "12.0 s: workers try again every 200 ms, and it runs when that one has ended."},
      {"another tool is busy",
       [](CallFacts& f) {
         f.limits = {limit("four", extensions::LimitKind::kRunning, "k")};
         f.workers[0].said.add_full_limits()->set_key("other");
       },
       "queued",
       {},
       "nothing blocks it"},
      {"later calls are refused",
       [](CallFacts& f) {
         f.limits = {limit("slow", extensions::LimitKind::kRate, "k"),
                     limit("fast", extensions::LimitKind::kRate, "l")};
         f.limits[0].refuses_since = from_unix_us(kNowUs - 3 * kSecond);
       },
       "queued",
       {"rate_limited"},
       "limit slow of the policy has refused new calls like this one for 3.0 s"},
      {"held, and nothing written yet",
       [](CallFacts& f) { f.request = held_request(); },
       "held",
       {"awaiting_approval"},
       ": it needs 1 approval, not by its caller, by "},
      {"held for a role",
       [](CallFacts& f) {
         auto request = held_request();
         request.mutable_hold()->add_roles("approver");
         request.mutable_hold()->set_quorum(2);
         auto asked = proto::approval_request(request, "d", from_unix_us(kNowUs));
         v1::Vote vote;
         vote.set_approve(true);
         f.events = {asked, proto::approval_decided(request, asked, vote, f.now)};
         f.request = request;
       },
       "held",
       {"awaiting_approval"},
       "it needs 2 approvals from users with role approver, not by its caller, by "
       "1970-01-12T13:47:40.000000Z; 1 so far."},
      {"approved, and no worker",
       [](CallFacts& f) {
         auto request = held_request();
         auto asked = proto::approval_request(request, "d", from_unix_us(kNowUs));
         v1::Vote vote;
         vote.set_approve(true);
         f.events = {asked, proto::approval_decided(request, asked, vote, f.now)};
         f.request = proto::released(request, f.events.back());
         f.workers.clear();
       },
       "queued",
       {"no_worker"},
       "toolway worker --pool native"},
      {"retry later",
       [](CallFacts& f) {
         auto retry = event(2, 5, 1);
         retry.mutable_retry_at()->set_at_us(kNowUs + 30 * kSecond);
         retry.mutable_retry_at()->mutable_error()->set_code("flaky");
         retry.mutable_retry_at()->set_attempts_left(1);
         f.events = {started(1, 1, 9), retry};
       },
       "waiting",
       {"waiting_for_retry"},
       "attempt 2 failed (flaky), and the next one is due in 30.0 s; attempts left: 1"},
      {"retry due, no worker",
       [](CallFacts& f) {
         auto retry = event(1, 2, 1);
         retry.mutable_retry_at()->set_at_us(kNowUs - kSecond);
         f.events = {retry};
         f.workers.clear();
       },
       "waiting",
       {"waiting_for_retry", "no_worker"},
       "was due 1.0 s ago"},
      {"parked",
       [](CallFacts& f) {
         auto parked = event(1, 3, 90);
         parked.mutable_input_requested();
         parked.add_parked_for("k");
         parked.add_questions()->set_key("k");
         f.events = {started(1, 1, 120), parked};
       },
       "waiting",
       {"parked", "asks"},
       "no worker holds it while its tool waits for an answer, for 90.0 s so far"},
      {"parked and answered, no worker",
       [](CallFacts& f) {
         auto answered = event(1, 4, 2);
         answered.mutable_input_provided()->set_follows(3);
         answered.add_parked_for("k");
         answered.add_questions()->set_key("k");
         answered.mutable_questions(0)->set_answer("{}");
         f.events = {started(1, 1, 120), answered};
         f.workers.clear();
       },
       "waiting",
       {"answered", "no_worker"},
       "what its tool asked was answered 2.0 s ago"},
      {"running",
       [](CallFacts& f) { f.events = {started(1, 1, 5)}; },
       "running",
       {"running"},
       "attempt 1 has been running on worker w1 (h1) for 5.0 s, last heard from 5.0 s ago"},
      {"silent worker",
       [](CallFacts& f) {
         f.events = {started(1, 1, 40)};
         f.workers.clear();
       },
       "running",
       {"running", "worker_silent"},
       "worker w1 was last heard from 40.0 s ago: if it is gone, another worker takes the call over within 8 s"},
      {"worker that has just gone silent",
       [](CallFacts& f) {
         f.events = {started(1, 1, 40)};
         f.workers[0].wall = from_unix_us(kNowUs - 5 * kSecond);
       },
       "running",
       {"running", "worker_silent"},
       "was last heard from 5.0 s ago"},
      {"run limit",
       [](CallFacts& f) {
         f.events = {started(1, 1, 9)};
         f.request->mutable_limits()->set_run_ms(10'000);
       },
       "running",
       {"running", "limits_near"},
       "90 % of its run limit of 10.0 s"},
      {"queue limit over",
       [](CallFacts& f) { f.request->mutable_limits()->set_queue_ms(5'000); },
       "queued",
       {"limits_near"},
       "its queue limit of 5.0 s has passed"},
      {"cancelling",
       [](CallFacts& f) {
         auto cancel = event(1, 2, 1);
         cancel.mutable_cancel_requested()->set_reason("enough");
         f.events = {started(1, 1, 3), cancel};
       },
       "cancelling",
       {"cancelling"},
       "1.0 s ago: enough, and its worker will end it"},
      {"completed",
       [](CallFacts& f) {
         auto done = event(1, 2, 1);
         done.mutable_completed()->set_outcome(v1::OUTCOME_TIMED_OUT);
         done.mutable_completed()->mutable_error()->set_code("run_limit_exceeded");
         f.events = {started(1, 1, 3), done};
         f.session_closed = true;
       },
       "completed",
       {"completed"},
       "One of its limits expired: run_limit_exceeded"},
      {"session closed",
       [](CallFacts& f) { f.session_closed = true; },
       "queued",
       {"session_closed"},
       "closed"},
      {"collectors",
       [](CallFacts& f) { f.unrecorded = 0.8; },
       "queued",
       {"collector_behind"},
       "80 %"},
      {"bus away",
       [](CallFacts& f) {
         f.bus = Reach::kAway;
         f.workers.clear();
       },
       "queued",
       {"bus_away"},
       "no worker gets a call"},
      {"store away",
       [](CallFacts& f) {
         f.call.reset();
         f.store = Reach::kAway;
       },
       "unknown",
       {"store_away"},
       "cannot see what"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    auto facts = waiting();
    one.change(facts);
    const auto explanation = explain(facts);
    EXPECT_EQ(explanation.state, one.state);
    std::vector<std::string> codes;
    std::string all = explanation.summary;
    for (const auto& reason : explanation.reasons) {
      codes.push_back(reason.code);
      all += "\n" + reason.message;
    }
    EXPECT_EQ(codes, one.codes);
    EXPECT_NE(all.find(one.says), std::string::npos) << all;
    const auto json = Json::parse(explanation_json(facts, explanation));
    EXPECT_EQ(json["state"], one.state);
    EXPECT_EQ(json["facts"]["slots"], facts.workers.empty() ? 0 : 4);
  }
}

TEST(Explanation, EveryAttemptIsListedWithItsEnd) {
  auto retry = event(1, 2, 8);
  retry.mutable_retry_at()->mutable_error()->set_code("flaky");
  auto done = event(3, 5, 1, "w3");
  done.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
  done.mutable_completed()->set_started_at_us(kNowUs - 2 * kSecond);
  const auto attempts =
      attempts_of({started(1, 1, 9), retry, started(2, 3, 7), event(2, 4, 6), done});
  ASSERT_EQ(attempts.size(), 3U);
  EXPECT_EQ(attempts[0].ended, "retry");
  EXPECT_EQ(attempts[0].error_code, "flaky");
  EXPECT_EQ(attempts[1].ended, "broken_off");
  EXPECT_EQ(attempts[1].last_heard_us, kNowUs - 6 * kSecond);
  EXPECT_EQ(attempts[2].ended, "succeeded");
  EXPECT_EQ(attempts[2].worker_id, "w3");
  EXPECT_EQ(attempts[2].started_at_us, kNowUs - 2 * kSecond);
}

TEST(Explanation, APositionIsWhatTheQueueHandsOutBefore) {
  EXPECT_EQ(position_of(50, {.delivered = 50}, 90), 0U);
  // The stream holds this queue's calls alone: exact.
  EXPECT_EQ(position_of(61, {.delivered = 50, .pending = 40}, 90), 10U);
  // Half of what follows is its own.
  EXPECT_EQ(position_of(71, {.delivered = 50, .pending = 20}, 90), 10U);
  EXPECT_EQ(position_of(51, {.delivered = 50, .pending = 40}, 90), 1U);
}

}  // namespace
}  // namespace toolway::gateway::calls
