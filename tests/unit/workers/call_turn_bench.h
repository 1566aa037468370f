#pragma once

#include <functional>
#include <string>
#include <utility>

#include "proto/toolway/v1/control.pb.h"
#include "tests/unit/workers/call_log_bench.h"
#include "workers/call/call_turn.h"

/// What the tests of a call's turn share: one turn with a time of its own, driven by hand.
namespace toolway::workers::test {

using std::chrono::milliseconds;
using std::chrono::seconds;

inline constexpr call::CallTurn::Sight kConnected{};
inline constexpr call::CallTurn::Sight kDisconnected{.connection = bus::Connection::kDisconnected};

struct TurnTraits {
  bool idempotent = true;
  bool multi_step = false;
  std::uint64_t delivery_count = 1;
  tools::model::RetryPolicy retry{};
  v1::Limits limits{};
};

class HeldTurn {
 public:
  explicit HeldTurn(TurnTraits traits = {})
      : call(limited(traits.limits)),
        options(options_of_a_worker()),
        spec(spec_of(traits)),
        turn({.request = call,
              .options = options,
              .spec = &spec,
              .delivery = {.sequence = 1,
                           .delivery_count = traits.delivery_count,
                           .stored_at = kWall}},
             step()) {}

  /// Lets `time` pass, and tells the turn something.
  template <typename Input>
  call::Orders after(std::chrono::microseconds time, Input input) {
    passed_ += time;
    call::Step now = step();
    input(turn, now);
    return std::move(now.orders);
  }
  template <typename Input>
  call::Orders tell(Input input) {
    return after(milliseconds(0), std::move(input));
  }
  call::Orders begin() {
    return tell([](call::CallTurn& it, call::Step& now) { it.begin(now); });
  }
  call::Orders thread_came() {
    return tell([](call::CallTurn& it, call::Step& now) { it.thread_came(now); });
  }
  call::Orders look() {
    return tell([](call::CallTurn& it, call::Step& now) { EXPECT_TRUE(it.look(now)); });
  }
  call::Orders pass(std::chrono::microseconds time,
                    const call::CallTurn::Sight& sight = kConnected) {
    return after(time, [&](call::CallTurn& it, call::Step& now) { it.time_passed(sight, now); });
  }
  /// The server stores what was ordered, or refuses it; the turn learns which.
  call::Orders store(const call::Orders& orders) {
    if (!orders.publish) {
      ADD_FAILURE() << "nothing is published";
      return {};
    }
    const std::uint64_t sequence = log.offer(*orders.publish);
    return published(sequence != 0 ? Result<bus::PubAck>(bus::PubAck{.sequence = sequence})
                                   : fail(ErrorCode::kWrongLastSequence, "of a test"));
  }
  call::Orders published(Result<bus::PubAck> answer) {
    return tell([&](call::CallTurn& it, call::Step& now) { it.published(std::move(answer), now); });
  }
  /// The turn reads what the server has.
  call::Orders read() {
    const auto last = log.last();
    Result<bus::StoredMessage> answer = fail(ErrorCode::kNotFound, "no message");
    if (last) {
      answer = bus::StoredMessage{
          .payload = last->payload, .sequence = last->sequence, .stored_at = step().wall};
    }
    return tell([&](call::CallTurn& it, call::Step& now) { it.last_read(std::move(answer), now); });
  }
  call::Orders window(Result<call::EventsHeld> held) {
    return tell([&](call::CallTurn& it, call::Step& now) { it.window(std::move(held), now); });
  }
  call::Orders looked_up(Result<std::string> answer) {
    return tell([&](call::CallTurn& it, call::Step& now) { it.looked_up(std::move(answer), now); });
  }
  call::Orders peer_said(const Result<std::string>& answer, seconds steady_for = seconds(60)) {
    return tell(
        [&](call::CallTurn& it, call::Step& now) { it.peer_said(answer, steady_for, now); });
  }
  call::Orders tool_ended(v1::Completed completed, bool forced = false) {
    return tell([&](call::CallTurn& it, call::Step& now) {
      it.tool_ended(std::move(completed), forced, now);
    });
  }
  /// From its delivery until its tool runs; what the last step ordered.
  call::Orders run() {
    call::Orders orders = begin();
    if (!orders.submit) orders = store(orders);
    EXPECT_TRUE(orders.submit);
    orders = thread_came();
    EXPECT_TRUE(orders.run);
    return orders;
  }

  call::Step step() const { return {.now = kNow + passed_, .wall = kWall + passed_}; }

  const v1::CallRequest call;
  const WorkerOptions options;
  const tools::model::Spec spec;
  Subject log;

 private:
  static v1::CallRequest limited(const v1::Limits& limits) {
    auto made = request();
    *made.mutable_limits() = limits;
    return made;
  }
  static WorkerOptions options_of_a_worker() {
    WorkerOptions made;
    made.worker_id = "w";
    return made;
  }
  static tools::model::Spec spec_of(const TurnTraits& traits) {
    tools::model::Spec made;
    made.name = "tool";
    made.idempotent = traits.idempotent;
    made.multi_step = traits.multi_step;
    made.retry = traits.retry;
    return made;
  }

  std::chrono::microseconds passed_{0};

 public:
  call::CallTurn turn;
};

inline v1::Completed failed(std::string code, bool retryable = true) {
  auto made = log::completion_without_result(v1::OUTCOME_FAILED, code, "of a test");
  made.mutable_error()->set_retryable(retryable);
  return made;
}

/// The event that is published; an empty one when none is.
inline v1::CallEvent event_of(const call::Orders& orders) {
  if (!orders.publish) return {};
  return *proto::decode_event(orders.publish->payload);
}

inline bool gives_back(const call::Orders& orders, milliseconds delay) {
  return orders.released && orders.settle && orders.settle->kind == bus::SettleKind::kNak &&
         orders.settle->delay == delay;
}

inline bool acks(const call::Orders& orders) {
  return orders.settle && orders.settle->kind == bus::SettleKind::kAck;
}

}  // namespace toolway::workers::test
