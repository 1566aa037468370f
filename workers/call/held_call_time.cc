// What a held call does as time passes: extends its delivery, keeps its limits.
#include <algorithm>

#include "base/mutex.h"
#include "workers/call/held_call.h"

namespace toolway::workers {
namespace {

/// How far ahead a call asks the timer to look at it: one that has ended
/// leaves no trace there for longer.
constexpr std::chrono::seconds kLookAtLeast{1};

}  // namespace

void HeldCall::on_time(MonotonicTime now) {
  const Inside inside(station_->gate);
  if (!inside) return;
  Orders orders;
  {
    const MutexLock lock(mutex_);
    if (now < armed_at_) return;  // an earlier look replaced this one
    armed_at_ = MonotonicTime::max();
    if (phase_ != Phase::kGone) {
      extend(now, orders);
      check_limits(now, orders);
      if (phase_ == Phase::kRunning && now >= alive_at_) {
        alive_at_ = now + station_->options.alive_interval;
        log_.alive();
      }
      if (now >= merge_until_) {
        merge_until_ = MonotonicTime::max();
        log_.release_start();
      }
    }
    if (now >= grace_until_) grace_is_over(orders);
    if (phase_ != Phase::kGone) {
      if (redo_ != Redo::kNone && now >= redo_at_) {
        redo(orders);
      } else if (phase_ == Phase::kRunning && !orders.publish) {
        pump(orders);
      }
    }
    if (!over_) wake_at(next_look(now), orders);
  }
  act(orders);
}

MonotonicTime HeldCall::next_look(MonotonicTime now) {
  if (phase_ == Phase::kGone) return grace_until_;
  MonotonicTime at = std::min({now + kLookAtLeast, redo_at_, extend_at_, grace_until_});
  if (phase_ == Phase::kRunning) {
    at = std::min({at, alive_at_, merge_until_, log_.report_ready_at(now)});
    if (stopping_ == Stop::kNo) at = std::min(at, deadlines_.next());
  }
  return std::max(now, at);
}

void HeldCall::wake_at(MonotonicTime at, Orders& orders) {
  if (at >= armed_at_) return;
  armed_at_ = at;
  orders.wake_at = at;
}

bool HeldCall::unextended(MonotonicTime now) const {
  // A known completion is worth keeping: only the chain decides whether it still counts.
  return phase_ < Phase::kEnding && now - extended_at_ >= station_->options.abandon_unextended;
}

void HeldCall::extend(MonotonicTime now, Orders& orders) {
  if (unextended(now)) {
    return stop_and_leave(orders);
  }
  if (now < extend_at_) return;
  if (station_->bus.connection() == bus::Connection::kConnected) {
    delivery_.in_progress();
    extended_at_ = now;
    extend_at_ = now + station_->options.extend_interval;
  } else {
    extend_at_ = now + kLookAtLeast;
  }
}

void HeldCall::check_limits(MonotonicTime now, Orders& orders) {
  if (phase_ == Phase::kGone || phase_ == Phase::kEnding || stopping_ != Stop::kNo) return;
  if (phase_ != Phase::kRunning) return;  // looked at when it is about to start
  take_reports();
  // A tool that waits for us to take its reports is not silent.
  if (reports_ && reports_->size() > 0) deadlines_.progressed(now);
  note_upload(now);
  exceeded_ = deadlines_.exceeded(now);
  if (exceeded_) ask_tool_to_stop(Stop::kLimit, orders);
}

}  // namespace toolway::workers
