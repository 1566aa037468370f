// A doorkeeper: what it does not let in waits without an attempt, an event or a slot.
#include <thread>

#include "extensions/reader/stored_policy.h"
#include "tests/support/write_entry.h"
#include "tests/unit/workers/worker_bench.h"

namespace toolway::workers::pool {
namespace {

using std::chrono::milliseconds;

/// Lets in whom a test names, and keeps what it does not answer.
class NamedOnly final : public Doorkeeper {
 public:
  void ask(const v1::CallRequest& request, Place place,
           std::function<void(bool)> answered) override {
    const std::scoped_lock lock(mutex);
    places[request.call_id()] = std::move(place);
    ++times[request.call_id()];
    if (silent) return unanswered.push_back(std::move(answered));
    answered(named.contains(request.call_id()));
  }
  int asked(const v1::CallRequest& request) {
    const std::scoped_lock lock(mutex);
    return times[request.call_id()];
  }
  void let_in(const v1::CallRequest& request) {
    const std::scoped_lock lock(mutex);
    named.insert(request.call_id());
  }

  std::mutex mutex;
  std::map<std::string, int> times;
  std::map<std::string, Place> places;
  std::set<std::string> named;
  std::vector<std::function<void(bool)>> unanswered;
  bool silent = false;
};

class CallWorkerDoor : public test::WorkerBench {
 protected:
  template <typename Fact>
  bool comes(CallWorker& worker, Fact fact) {
    const auto deadline = std::chrono::steady_clock::now() + toolway::test::kPatience;
    while (!fact() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(milliseconds(10));
      pass(worker, milliseconds(10));
    }
    return fact();
  }

  std::shared_ptr<NamedOnly> door_ = std::make_shared<NamedOnly>();
};

TEST_F(CallWorkerDoor, WhatIsNotLetInTakesUpNoSlot) {
  auto one = worker(test::registry_of({.idempotent = true}, test::returns(1)),
                    {.worker_id = "w", .slots = 1, .doorkeeper = door_});
  const auto waiting = call();
  submit(waiting);
  EXPECT_TRUE(comes(*one, [&] { return door_->asked(waiting) >= 2; })) << "it comes again";
  const auto other = call();
  door_->let_in(other);
  submit(other);
  // The only slot is free for it.
  EXPECT_TRUE(comes(*one, [&] { return last_event(other).has_value(); }));
  EXPECT_EQ(completed().call_id(), other.call_id());
  EXPECT_FALSE(last_event(waiting)) << "it costs no attempt and no event";
  const auto& place = door_->places[waiting.call_id()];
  EXPECT_EQ(place.subject, proto::call_subject("native", proto::Lane::kNormal, 0,
                                               *SessionKey::parse(waiting.session_key())));
  EXPECT_LT(place.sequence, door_->places[other.call_id()].sequence);
  EXPECT_GT(place.sequence, 0U);
  door_->let_in(waiting);
  EXPECT_TRUE(comes(*one, [&] { return last_event(waiting).has_value(); }));
  const auto end = completed();
  EXPECT_EQ(end.call_id(), waiting.call_id());
  EXPECT_EQ(end.attempt(), 1U);
  expect_all_acked();
}

TEST_F(CallWorkerDoor, IsAskedAfterThePolicy) {
  toolway::test::write_entry(
      *memory_, proto::kPoliciesBucket, std::string(extensions::reader::kPolicyKey),
      extensions::reader::encode(
          {.number = 1,
           .by = "ann",
           .at = "2026-01-01T00:00:00Z",
           .text = "rules:\n  - {name: one, tools: 'test.tool', limit: {running: 1}}\n"}));
  auto one = worker(test::registry_of({.idempotent = true}, test::returns(1)),
                    {.worker_id = "w", .doorkeeper = door_});
  const auto waiting = call();
  submit(waiting);
  EXPECT_TRUE(comes(*one, [&] { return door_->asked(waiting) >= 2; }));
  EXPECT_TRUE(comes(*one, [&] {
    return metrics_->gauge(monitoring::kPermitsHeld, "limit", "one").value() == 0;
  })) << "what waits at the door keeps no permit";
  door_->let_in(waiting);
  EXPECT_TRUE(comes(*one, [&] { return last_event(waiting).has_value(); }));
  EXPECT_EQ(completed().call_id(), waiting.call_id());
}

TEST_F(CallWorkerDoor, AnAnswerThatComesAfterTheWorkerIsIgnored) {
  door_->silent = true;
  auto one = worker(test::registry_of({.idempotent = true}, test::returns(1)),
                    {.worker_id = "w", .doorkeeper = door_});
  const auto waiting = call();
  submit(waiting);
  EXPECT_TRUE(comes(*one, [&] { return door_->asked(waiting) == 1; }));
  one.reset();
  // A question that is kept keeps its call, and that the door.
  std::exchange(door_->unanswered, {}).front()(true);
  EXPECT_FALSE(last_event(waiting));
}

}  // namespace
}  // namespace toolway::workers::pool
