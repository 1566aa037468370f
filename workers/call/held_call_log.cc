// What a held call learns of its log, and concludes.
#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/mutex.h"
#include "monitoring/metric_names.h"
#include "proto/codec.h"
#include "workers/call/held_call.h"
#include "workers/log/completion.h"
#include "workers/log/retry.h"

namespace toolway::workers {
namespace {

constexpr std::chrono::milliseconds kFirstBackoff{50};
constexpr std::chrono::milliseconds kMaxBackoff{1000};
/// Time until the next look at a call whose log cannot be read now.
constexpr std::chrono::seconds kGivenBackFor{5};
/// The shortest time for which any worker gives a call back whose log it has looked at.
constexpr std::chrono::seconds kLeastDelay{1};
/// Collectors' answers are trusted this much later, because clocks differ.
constexpr std::chrono::seconds kRecordedMargin{10};

}  // namespace

void HeldCall::on_published(Result<bus::PubAck> answer) {
  const Inside inside(station_->gate);
  if (!inside) return;
  Orders orders;
  {
    const MutexLock lock(mutex_);
    if (phase_ == Phase::kGone) return;
    if (answer) {
      stored(answer->sequence, orders);
    } else if (answer.error().code == ErrorCode::kWrongLastSequence) {
      read_last(orders);
    } else if (answer.error().code == ErrorCode::kShuttingDown) {
      leave(orders);
    } else if (answer.error().code == ErrorCode::kInternal ||
               answer.error().code == ErrorCode::kPayloadTooLarge) {
      refused_by_server(answer.error(), orders);
    } else {
      // It may or may not be stored: sending the same bytes again settles it.
      redo_later(Redo::kPublish, orders);
    }
  }
  act(orders);
}

void HeldCall::refused_by_server(const Error& error, Orders& orders) {
  spdlog::error("call {}: the bus refused an event: {}", id(), error.message);
  const auto kind = log_.in_flight_kind();
  const bool too_large = error.code == ErrorCode::kPayloadTooLarge;  // so it was never sent
  if (too_large && kind == CallLog::Kind::kReport) {
    log_.drop_report();
    return pump(orders);
  }
  const bool ends =
      kind == CallLog::Kind::kCompleted || (too_large && kind == CallLog::Kind::kRetry);
  if (!ends || completion_replaced_) return stop_and_leave(orders);  // comes again after ack_wait
  completion_replaced_ = true;
  log_.replace_completion(completion_without_result(
      v1::OUTCOME_FAILED, code_name(ErrorCode::kInternal),
      "the tool ended, but its completion could not be stored: " + error.message));
  pump(orders);
}

void HeldCall::on_last(Result<bus::StoredMessage> answer) {
  const Inside inside(station_->gate);
  if (!inside) return;
  Orders orders;
  {
    const MutexLock lock(mutex_);
    reading_ = false;
    if (phase_ == Phase::kGone) return;
    if (unextended(station_->clock.monotonic())) {
      stop_and_leave(orders);
    } else if (answer) {
      meet_last(std::move(*answer), orders);
    } else if (answer.error().code == ErrorCode::kShuttingDown) {
      leave(orders);
    } else if (answer.error().code != ErrorCode::kNotFound) {
      redo_later(Redo::kRead, orders);
    } else if (log_.follows_nothing()) {
      // It never had an event, or all of them have left the stream.
      orders.ask_window = reading_ = true;
    } else {
      judge(log_.met(std::nullopt), 0, orders);
    }
  }
  act(orders);
}

void HeldCall::meet_last(bus::StoredMessage message, Orders& orders) {
  auto event = proto::decode_event(message.payload);
  if (!event) {
    spdlog::error("call {}: its last event cannot be read: {}", id(), event.error().message);
    return stop_and_leave(orders);
  }
  if (!log_.wrote() &&
      runs_elsewhere(*event, log_.call_sequence(), server_time() - message.stored_at)) {
    ask_tool_to_stop(Stop::kDrain, orders);
    return nak_and_leave(kGivenBackFor, orders);
  }
  LastEvent last{std::move(message.payload), message.sequence, std::move(*event)};
  if (phase_ == Phase::kLooking && another_worker_runs(last.event))
    return ask_peer(std::move(last), orders);
  judge(log_.met(last), last.sequence, orders);
}

WallTime HeldCall::server_time() const {
  // The server waited each delay before it delivered the message again.
  return delivery_.stored_at +
         kLeastDelay * (std::max<std::uint64_t>(delivery_.delivery_count, 1) - 1);
}

void HeldCall::log_is_known(Orders& orders) {
  log_known_at_ = station_->clock.monotonic();
  if (phase_ == Phase::kLooking) return proceed(orders);
  log_.in_flight() ? send(log_.again(), orders) : pump(orders);
}

void HeldCall::on_window(Result<EventsHeld> held) {
  const Inside inside(station_->gate);
  if (!inside) return;
  Orders orders;
  {
    const MutexLock lock(mutex_);
    reading_ = false;
    if (phase_ == Phase::kGone) return;
    if (unextended(station_->clock.monotonic())) {
      stop_and_leave(orders);
    } else if (!held) {
      redo_later(Redo::kWindow, orders);
    } else {
      window_ = *held;
      // What it followed and has left the stream was recorded before.
      if (log_.last_seq() == 0 && holds_log_of(*held, request_, stored_at_)) {
        log_is_known(orders);
      } else {
        ask_collectors(orders);
      }
    }
  }
  act(orders);
}

void HeldCall::ask_collectors(Orders& orders) {
  reading_ = true;
  orders.look_up = true;
}

void HeldCall::on_looked_up(Result<std::string> answer) {
  const Inside inside(station_->gate);
  if (!inside) return;
  Orders orders;
  {
    const MutexLock lock(mutex_);
    reading_ = false;
    if (phase_ == Phase::kGone) return;
    v1::LookupAnswer recorded;
    if (unextended(station_->clock.monotonic())) {
      stop_and_leave(orders);
    } else if (answer && recorded.ParseFromString(*answer)) {
      meet_recorded(recorded, orders);
    } else if (!answer && answer.error().code == ErrorCode::kShuttingDown) {
      leave(orders);
    } else if (phase_ != Phase::kLooking) {
      redo_later(Redo::kLookup, orders);
    } else {
      spdlog::warn(
          "call {} is older than anything stream EVENTS holds, and no collector says what became of it: {}; "
          "looking again in {} s",
          id(), answer ? std::string("the answer cannot be read") : answer.error().message,
          kGivenBackFor.count());
      nak_and_leave(kGivenBackFor, orders);
    }
  }
  act(orders);
}

void HeldCall::meet_recorded(const v1::LookupAnswer& answer, Orders& orders) {
  if (!answer.last_event().empty()) {
    // Stored after the stream was read: the stream has more detail.
    if (window_ && answer.incarnation() == window_->incarnation &&
        answer.sequence() >= window_->first_sequence) {
      return read_last(orders);
    }
    auto event = proto::decode_event(answer.last_event());
    if (!event) {
      spdlog::error("call {}: its last event, as recorded, cannot be read: {}", id(),
                    event.error().message);
      return stop_and_leave(orders);
    }
    const Verdict verdict = log_.met_recorded({answer.last_event(), 0, std::move(*event)});
    if (verdict == Verdict::kVanished) return redo_later(Redo::kLookup, orders);
    log_known_at_ = station_->clock.monotonic();
    return judge(verdict, 0, orders);
  }
  // No event has left the stream unseen, if all that has left it is recorded.
  if (window_ && log_.last_seq() == 0 &&
      from_unix_us(answer.recorded_until_us()) >
          std::max(stored_at_, window_->since) + kRecordedMargin) {
    return log_is_known(orders);
  }
  if (phase_ != Phase::kLooking) return redo_later(Redo::kLookup, orders);
  nak_and_leave(kGivenBackFor, orders);
}

void HeldCall::stored(std::uint64_t sequence, Orders& orders) {
  backoff_ = std::chrono::milliseconds(0);
  switch (log_.acked(sequence)) {
    case CallLog::Kind::kStarted:
      if (phase_ == Phase::kStarting) {
        // It slept: the worker that takes the call over reports that it broke off.
        if (unextended(station_->clock.monotonic())) return stop_and_leave(orders);
        phase_ = Phase::kQueued;
        orders.submit = true;
      }
      if (upload_) upload_->begin(log_.attempt());
      break;
    case CallLog::Kind::kCompleted:
      delivery_.ack();
      entry_->completed(log_.outcome());
      entry_->submit_to_completed().observe(
          station_->clock.wall() - from_unix_us(request_.submitted_at_us()), trace());
      if (spans_) spans_->completion_stored(log_.outcome(), station_->clock.wall(), orders.spans);
      leave(orders);
      return;
    case CallLog::Kind::kRetry: entry_->retried(); return wait_for_retry(orders);
    case CallLog::Kind::kReport:
    case CallLog::Kind::kAlive: break;
  }
  pump(orders);
}

void HeldCall::judge(Verdict verdict, std::uint64_t sequence, Orders& orders) {
  const auto go_on = [&]() REQUIRES(mutex_) {
    phase_ == Phase::kLooking ? proceed(orders) : pump(orders);
  };
  switch (verdict) {
    case Verdict::kGoOn: return go_on();
    case Verdict::kStored: return stored(sequence, orders);
    case Verdict::kAgain: return redo_later(Redo::kPublish, orders);
    case Verdict::kCancelled: return meet_cancellation(orders);
    case Verdict::kRetry: count_failures_again(); return meet_retry(orders);
    case Verdict::kTakenOver:
      station_->metrics.counter(monitoring::kTakeovers).add();
      count_failures_again();
      if (log_.broken() < kMostBrokenAttempts) return go_on();
      return complete_unstarted(broke_off_too_often(log_.broken()), orders);
    case Verdict::kNotAgain:
      station_->metrics.counter(monitoring::kTakeovers).add();
      return complete_unstarted(unknown_after(log_.attempt() - 1), orders);
    case Verdict::kFinished: delivery_.ack(); return stop_and_leave(orders);
    case Verdict::kLost: return stop_and_leave(orders);
    case Verdict::kVanished:
      spdlog::warn("call {}: its events have left the stream; asking the collectors for them",
                   id());
      window_.reset();
      return ask_collectors(orders);
    case Verdict::kBehind:
      spdlog::error(
          "call {}: stream EVENTS holds less of its log than was stored before; giving the call back",
          id());
      ask_tool_to_stop(Stop::kDrain, orders);
      return nak_and_leave(kGivenBackFor, orders);
  }
}

void HeldCall::meet_retry(Orders& orders) {
  deadlines_.left_queue();
  const bool due = station_->clock.wall() >= from_unix_us(log_.retry_due_us());
  if (due) return phase_ == Phase::kLooking ? proceed(orders) : pump(orders);
  // The total limit does not wait.
  if (phase_ == Phase::kLooking &&
      deadlines_.exceeded(station_->clock.monotonic()) == LimitKind::kTotal) {
    return proceed(orders);
  }
  ask_tool_to_stop(Stop::kDrain, orders);
  wait_for_retry(orders);
}

void HeldCall::wait_for_retry(Orders& orders) {
  const auto rest = std::chrono::ceil<std::chrono::milliseconds>(from_unix_us(log_.retry_due_us()) -
                                                                 station_->clock.wall());
  if (rest <= kShortRetry)
    return nak_and_leave(std::max(rest, std::chrono::milliseconds(0)), orders);
  delivery_.ack();  // the reaper publishes it again when it is due
  leave(orders);
}

void HeldCall::redo_later(Redo what, Orders& orders) {
  backoff_ = std::clamp(backoff_ * 2, kFirstBackoff, kMaxBackoff);
  redo_ = what;
  redo_at_ = station_->clock.monotonic() + backoff_;
  wake_at(redo_at_, orders);
}

void HeldCall::redo(Orders& orders) {
  const Redo what = std::exchange(redo_, Redo::kNone);
  redo_at_ = MonotonicTime::max();
  switch (what) {
    case Redo::kNone: break;
    case Redo::kPublish: send(log_.again(), orders); break;
    case Redo::kRead: read_last(orders); break;
    case Redo::kWindow: orders.ask_window = reading_ = true; break;
    case Redo::kLookup: ask_collectors(orders); break;
  }
}

}  // namespace toolway::workers
