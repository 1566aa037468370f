// How a held call is stopped: cancelled, past a limit, drained, given back.
#include "base/mutex.h"
#include "workers/call/held_call.h"
#include "workers/log/completion.h"

namespace toolway::workers {

void HeldCall::meet_cancellation(Orders& orders) {
  // As far as the log says, the call never starts.
  if (!log_.start_stored()) return complete_unstarted(cancelled(), orders);
  // A tool that ended before the cancellation arrived keeps its completion; a failure that was
  // to be followed by another attempt no longer is.
  if (log_.completing()) return pump(orders);
  if (phase_ != Phase::kRunning) return complete(cancelled(), orders);
  ask_tool_to_stop(Stop::kCancelled, orders);
  pump(orders);
}

/// Whatever the tool does or has done, the log does not mention it.
void HeldCall::complete_unstarted(v1::Completed completed, Orders& orders) {
  log_.never_started();
  ask_tool_to_stop(Stop::kDrain, orders);
  if (!log_.ending()) return complete(std::move(completed), orders);
  log_.replace_completion(std::move(completed));
  pump(orders);
}

void HeldCall::ask_tool_to_stop(Stop why, Orders& orders) {
  if (!in_tool_ || stopping_ != Stop::kNo) return;
  stopping_ = why;
  // A call that cannot be run again gets the grace to store its result.
  if (why != Stop::kDrain || idempotent_) abandon_upload();
  orders.stop_tool = true;
  grace_until_ = station_->clock.monotonic() + station_->options.cancel_grace;
  wake_at(grace_until_, orders);
}

void HeldCall::stop_and_leave(Orders& orders) {
  ask_tool_to_stop(Stop::kDrain, orders);
  leave(orders);
}

v1::Completed HeldCall::stopped_completion() const {
  v1::Completed completed = stopping_ == Stop::kCancelled
                                ? cancelled()
                                : timed_out(*exceeded_, deadlines_.allowed(*exceeded_));
  completed.set_stop(in_tool_  ? v1::STOP_ABANDONED
                     : forced_ ? v1::STOP_SIGNALLED
                               : v1::STOP_COOPERATIVE);
  return completed;
}

/// The tool has returned.
void HeldCall::tool_stopped(v1::Completed completed, Orders& orders) {
  switch (stopping_) {
    case Stop::kNo: return end_attempt(std::move(completed), orders);
    case Stop::kCancelled: return complete_attempt(stopped_completion(), orders);
    case Stop::kLimit: return end_attempt(stopped_completion(), orders);
    case Stop::kDrain:
      // Another worker may run it again; one that cannot be run again stores its result, if it has
      // one.
      if (idempotent_) return nak_and_leave(std::chrono::milliseconds(0), orders);
      if (completed.error().code() != code_name(ErrorCode::kCancelled)) {
        return end_attempt(std::move(completed), orders);
      }
      completed = broken_off(log_.attempt());
      completed.set_stop(forced_ ? v1::STOP_SIGNALLED : v1::STOP_COOPERATIVE);
      return complete_attempt(std::move(completed), orders);
  }
}

void HeldCall::grace_is_over(Orders& orders) {
  grace_until_ = MonotonicTime::max();
  if (!in_tool_) return;
  if (phase_ == Phase::kRunning) {
    take_reports();
    switch (stopping_) {
      case Stop::kNo: break;
      // Not by us: the worker that takes the call over reports that it broke off.
      case Stop::kDrain: nak_and_leave(std::chrono::milliseconds(0), orders); break;
      case Stop::kCancelled: complete_attempt(stopped_completion(), orders); break;
      case Stop::kLimit: end_attempt(stopped_completion(), orders); break;
    }
  }
  if (!thread_abandoned_) {
    thread_abandoned_ = true;
    station_->executor->abandon();
  }
  if (!counted_hanging_) {
    counted_hanging_ = true;
    orders.hanging = true;
  }
  grace_until_ = MonotonicTime::max();
  over_ = phase_ == Phase::kGone;
}

std::optional<std::string_view> HeldCall::look() {
  const Inside inside(station_->gate);
  if (!inside) return std::nullopt;
  Orders orders;
  Phase phase;
  {
    const MutexLock lock(mutex_);
    phase = phase_;
    look_due_ = phase != Phase::kGone && phase != Phase::kLooking;
    if (look_due_) pump(orders);
  }
  act(orders);
  switch (phase) {
    case Phase::kLooking: return "looking";
    case Phase::kStarting: return "starting";
    case Phase::kQueued: return "queued";
    case Phase::kRunning: return "running";
    case Phase::kEnding: return "ending";
    case Phase::kGone: break;
  }
  return std::nullopt;
}

void HeldCall::give_back_unstarted() {
  const Inside inside(station_->gate);
  if (!inside) return;
  Orders orders;
  {
    const MutexLock lock(mutex_);
    const bool unstarted =
        phase_ == Phase::kLooking || (phase_ == Phase::kQueued && !log_.start_stored());
    if (unstarted) nak_and_leave(std::chrono::milliseconds(0), orders);
  }
  act(orders);
}

void HeldCall::give_back() {
  const Inside inside(station_->gate);
  if (!inside) return;
  Orders orders;
  {
    const MutexLock lock(mutex_);
    if (phase_ != Phase::kGone) nak_and_leave(std::chrono::milliseconds(0), orders);
    orders.stop_tool = in_tool_;
  }
  act(orders);
}

void HeldCall::stop_for_drain() {
  const Inside inside(station_->gate);
  if (!inside) return;
  Orders orders;
  {
    const MutexLock lock(mutex_);
    if (phase_ == Phase::kRunning && stopping_ == Stop::kNo) {
      ask_tool_to_stop(Stop::kDrain, orders);
    }
  }
  act(orders);
}

void HeldCall::forget() {
  {
    const MutexLock lock(mutex_);
    phase_ = Phase::kGone;
    abandon_upload();
    if (reports_) reports_->close();
    over_ = true;
  }
  stop_.request_stop();
}

}  // namespace toolway::workers
