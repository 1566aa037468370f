// How a call's turn waits: for answers, for its next attempt, and for both without a slot.
#include <algorithm>
#include <utility>

#include "workers/call/call_turn.h"
#include "workers/log/retry.h"

namespace toolway::workers::call {

using Why = ToolStop::Why;

Result<void> CallTurn::asked(std::vector<v1::Question> questions, Step& step) {
  if (phase_ != Phase::kRunning || tool_.why() != Why::kNo)
    return fail(ErrorCode::kCancelled, "the call is about to end");
  std::vector<std::string> keys;
  keys.reserve(questions.size());
  for (const auto& question : questions) keys.push_back(question.key());
  RETURN_IF_ERROR(writer_.ask(std::move(questions), step));
  clock_.waits(keys, step.now);
  alarm_.set(next_look(step.now), step);
  return {};
}

void CallTurn::waited(const std::vector<std::string>& keys, Step& step) {
  clock_.waited(keys, step.now);
  log_.park({});
}

void CallTurn::meet_answers(Step& step) {
  if (phase_ == Phase::kLooking) return proceed(step);
  if (phase_ == Phase::kStarting && log_.start_stored()) start_stored(step);
  step.orders.answered = phase_ == Phase::kRunning;
  writer_.pump(step);
}

/// The log says so, and no worker has the call from now on, unless its tool gave up waiting or the
/// call ends.
void CallTurn::parked(Step& step) {
  const bool ends = tool_.why() == Why::kCancelled || tool_.why() == Why::kLimit;
  if (phase_ != Phase::kRunning || ends || clock_.waits_for().empty()) return writer_.pump(step);
  step.orders.parked = true;
  step.orders.settle = bus::Settlement{bus::SettleKind::kAck};
  stop_and_leave(step);
}

void CallTurn::meet_retry(Step& step) {
  clock_.left_queue();
  const bool due = step.wall >= from_unix_us(log_.retry_due_us());
  // It may have begun, as a first delivery that was none.
  step.orders.answered = phase_ == Phase::kRunning;
  if (due) return go_on(step);
  // The total limit does not wait.
  if (phase_ == Phase::kLooking && clock_.exceeded(step.now) == log::LimitKind::kTotal) {
    return proceed(step);
  }
  ask_tool_to_stop(Why::kDrain, step);
  wait_for_retry(step);
}

void CallTurn::wait_for_retry(Step& step) {
  const auto rest =
      std::chrono::ceil<std::chrono::milliseconds>(from_unix_us(log_.retry_due_us()) - step.wall);
  if (rest <= log::kShortRetry) {
    return nak_and_leave(std::max(rest, std::chrono::milliseconds(0)), step);
  }
  // The reaper publishes it again when it is due.
  step.orders.settle = bus::Settlement{bus::SettleKind::kAck};
  leave(step);
}

}  // namespace toolway::workers::call
