#include "workers/held_call.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/ids.h"
#include "monitoring/metric_names.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "workers/completion.h"

namespace toolway::workers {
namespace {

constexpr std::chrono::milliseconds kFirstBackoff{50};
constexpr std::chrono::milliseconds kMaxBackoff{1000};
constexpr std::chrono::seconds kVanishedDelay{5};
constexpr std::chrono::seconds kFresh{30};  // younger, EVENTS covers it for certain

std::string subject_of(const v1::CallRequest& request) {
  // Decoding has checked both.
  return proto::event_subject(*SessionKey::parse(request.session_key()),
                              *CallId::parse(request.call_id()));
}

tools::Limits limits_of(const v1::Limits& limits) {
  using std::chrono::milliseconds;
  return {.queue = milliseconds(limits.queue_ms()),
          .run = milliseconds(limits.run_ms()),
          .total = milliseconds(limits.total_ms()),
          .heartbeat = milliseconds(limits.heartbeat_ms())};
}

}  // namespace

HeldCall::HeldCall(std::shared_ptr<Station> station, ToolEntryPtr tool, bus::Delivery delivery,
                   v1::CallRequest request)
    : station_(std::move(station)),
      request_(std::move(request)),
      entry_(std::move(tool)),
      subject_(subject_of(request_)),
      limits_(limits_of(request_.limits())),
      idempotent_(entry_->tool() != nullptr && entry_->tool()->spec().idempotent),
      stored_at_(delivery.stored_at),
      delivery_(std::move(delivery)),
      log_({request_, station_->options.worker_id},
           idempotent_ ? Rerun::kAllowed : Rerun::kForbidden,
           delivery_.delivery_count > 1 ? DeliveryAge::kRepeated : DeliveryAge::kFirst),
      deadlines_(request_.limits(), from_unix_us(request_.submitted_at_us()),
                 station_->clock.wall(), station_->clock.monotonic()),
      extended_at_(station_->clock.monotonic()),
      extend_at_(extended_at_ + station_->options.alive_interval) {}

void HeldCall::begin() {
  Orders orders;
  {
    const std::scoped_lock lock(mutex_);
    if (delivery_.delivery_count > 1) {
      orders.read = true;
    } else if (station_->clock.wall() - stored_at_ > kFresh) {
      orders.look_at_window = true;
    } else {
      proceed(orders);
    }
    if (orders.read || orders.look_at_window) wake_at(extend_at_, orders);
  }
  act(orders);
}

bool HeldCall::redelivered(bus::Delivery& delivery) {
  const std::scoped_lock lock(mutex_);
  if (phase_ == Phase::kGone) return false;
  delivery_ = std::move(delivery);
  extended_at_ = station_->clock.monotonic();
  return true;
}

void HeldCall::on_published(Result<bus::PubAck> answer) {
  const Inside inside(station_->gate);
  if (!inside) return;
  Orders orders;
  {
    const std::scoped_lock lock(mutex_);
    if (!answer) {
      station_->metrics
          .counter(monitoring::kPublishErrors, "code", code_name(answer.error().code))
          .add();
    }
    if (phase_ == Phase::kGone) return;
    if (answer) {
      stored(answer->sequence, orders);
    } else if (answer.error().code == ErrorCode::kWrongLastSequence) {
      orders.read = true;
    } else if (answer.error().code == ErrorCode::kShuttingDown) {
      leave(orders);
    } else if (answer.error().code == ErrorCode::kInternal) {
      refused_by_server(answer.error(), orders);
    } else {
      // Perhaps stored, perhaps not: the same bytes again settle it.
      retry_later(Retry::kPublish);
      wake_at(retry_at_, orders);
    }
  }
  act(orders);
}

void HeldCall::refused_by_server(const Error& error, Orders& orders) {
  spdlog::error("call {}: the bus refused an event: {}", id(), error.message);
  if (log_.in_flight_kind() != CallLog::Kind::kCompleted || completion_replaced_) {
    ask_tool_to_stop(Stop::kDrain, orders);
    return leave(orders);  // comes again after ack_wait
  }
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
    const std::scoped_lock lock(mutex_);
    if (phase_ == Phase::kGone) return;
    std::optional<LastEvent> last;
    if (unextended(station_->clock.monotonic())) {
      ask_tool_to_stop(Stop::kDrain, orders);
      leave(orders);
    } else if (answer) {
      auto event = proto::decode_event(answer->payload);
      if (!event) {
        spdlog::error("call {}: its last event cannot be read: {}", id(), event.error().message);
        ask_tool_to_stop(Stop::kDrain, orders);
        leave(orders);
      } else {
        last = LastEvent{std::move(answer->payload), answer->sequence, std::move(*event)};
      }
    } else if (answer.error().code == ErrorCode::kShuttingDown) {
      leave(orders);
    } else if (answer.error().code != ErrorCode::kNotFound) {
      retry_later(Retry::kRead);
      wake_at(retry_at_, orders);
    }
    if (phase_ != Phase::kGone && (answer || answer.error().code == ErrorCode::kNotFound)) {
      if (!last && phase_ == Phase::kLooking && !window_checked_) {
        orders.look_at_window = true;
      } else {
        judge(log_.met(last), last ? last->sequence : 0, orders);
      }
    }
  }
  act(orders);
}

void HeldCall::on_window(Result<bool> covered) {
  const Inside inside(station_->gate);
  if (!inside) return;
  Orders orders;
  {
    const std::scoped_lock lock(mutex_);
    if (phase_ == Phase::kGone) return;
    if (!covered) {
      retry_later(Retry::kWindow);
      wake_at(retry_at_, orders);
    } else if (*covered) {
      window_checked_ = true;
      proceed(orders);
    } else {
      judge(Verdict::kVanished, 0, orders);
    }
  }
  act(orders);
}

void HeldCall::stored(std::uint64_t sequence, Orders& orders) {
  backoff_ = std::chrono::milliseconds(0);
  switch (log_.acked(sequence)) {
    case CallLog::Kind::kStarted:
      if (phase_ == Phase::kStarting) {
        phase_ = Phase::kQueued;
        orders.submit = true;
      }
      if (upload_) upload_->begin(log_.attempt());
      break;
    case CallLog::Kind::kCompleted:
      delivery_.ack();
      entry_->completed(log_.outcome());
      entry_->submit_to_completed().observe(station_->clock.wall() -
                                           from_unix_us(request_.submitted_at_us()));
      leave(orders);
      return;
    case CallLog::Kind::kReport:
    case CallLog::Kind::kAlive: break;
  }
  pump(orders);
}

void HeldCall::judge(Verdict verdict, std::uint64_t sequence, Orders& orders) {
  switch (verdict) {
    case Verdict::kGoOn: return phase_ == Phase::kLooking ? proceed(orders) : pump(orders);
    case Verdict::kStored: return stored(sequence, orders);
    case Verdict::kAgain:
      retry_later(Retry::kPublish);
      return wake_at(retry_at_, orders);
    case Verdict::kCancelled: return meet_cancellation(orders);
    case Verdict::kTakenOver:
      station_->metrics.counter(monitoring::kTakeovers).add();
      return phase_ == Phase::kLooking ? proceed(orders) : pump(orders);
    case Verdict::kNotAgain:
      station_->metrics.counter(monitoring::kTakeovers).add();
      log_.never_started();
      return complete(unknown_after(log_.attempt() - 1), orders);
    case Verdict::kFinished:
      delivery_.ack();
      ask_tool_to_stop(Stop::kDrain, orders);
      return leave(orders);
    case Verdict::kLost:
      ask_tool_to_stop(Stop::kDrain, orders);
      return leave(orders);
    case Verdict::kVanished:
      spdlog::warn("call {}: its events have left the stream; it is delayed", id());
      ask_tool_to_stop(Stop::kDrain, orders);
      return nak_and_leave(kVanishedDelay, orders);
  }
}

void HeldCall::meet_cancellation(Orders& orders) {
  if (!log_.start_stored()) {
    // As far as the log says, the call never starts.
    log_.never_started();
    if (in_tool_) ask_tool_to_stop(Stop::kCancelled, orders);
    if (log_.completing()) {
      log_.replace_completion(cancelled());
      return pump(orders);
    }
    return complete(cancelled(), orders);
  }
  if (!log_.completing()) {
    if (phase_ == Phase::kRunning) {
      ask_tool_to_stop(Stop::kCancelled, orders);
    } else {
      return complete(cancelled(), orders);
    }
  }
  pump(orders);
}

void HeldCall::proceed(Orders& orders) {
  const MonotonicTime now = station_->clock.monotonic();
  if (const auto limit = deadlines_.exceeded(now)) {
    return complete(timed_out(*limit, deadlines_.allowed(*limit)), orders);
  }
  if (entry_->tool() == nullptr) {
    return complete(cannot_run(entry_->why_not()), orders);
  }
  wake_at(now + std::max(station_->options.merge_window, std::chrono::milliseconds(2)), orders);
  if (idempotent_) {
    phase_ = Phase::kQueued;
    orders.submit = true;
    return;
  }
  phase_ = Phase::kStarting;
  log_.start(to_unix_us(station_->clock.wall()), CallLog::StartEvent::kNow);
  pump(orders);
}

void HeldCall::complete(v1::Completed completed, Orders& orders) {
  phase_ = Phase::kEnding;
  abandon_upload();
  log_.complete(std::move(completed));
  pump(orders);
}

void HeldCall::pump(Orders& orders) {
  if (retry_ != Retry::kNone) return;
  take_reports();
  orders.publish = log_.next(station_->clock.wall(), station_->clock.monotonic());
  if (!orders.publish && phase_ == Phase::kRunning) {
    const MonotonicTime at = log_.report_ready_at(station_->clock.monotonic());
    if (at != MonotonicTime::max()) wake_at(at, orders);
  }
}

void HeldCall::retry_later(Retry what) {
  backoff_ = std::clamp(backoff_ * 2, kFirstBackoff, kMaxBackoff);
  retry_ = what;
  retry_at_ = station_->clock.monotonic() + backoff_;
}

void HeldCall::nak_and_leave(std::chrono::milliseconds delay, Orders& orders) {
  delivery_.nak(delay);
  leave(orders);
}

void HeldCall::leave(Orders& orders) {
  if (phase_ == Phase::kGone) return;
  phase_ = Phase::kGone;
  orders.released = true;
  abandon_upload();
  if (reports_) reports_->close();
  if (in_tool_ && !thread_abandoned_) {
    // Its slot is free now, so another thread may stand in for this one.
    thread_abandoned_ = true;
    station_->executor->abandon();
    grace_until_ = station_->clock.monotonic() + station_->options.cancel_grace;
    wake_at(grace_until_, orders);
  }
  over_ = !in_tool_ || counted_hanging_;
}

void HeldCall::give_back_unstarted() {
  const Inside inside(station_->gate);
  if (!inside) return;
  Orders orders;
  {
    const std::scoped_lock lock(mutex_);
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
    const std::scoped_lock lock(mutex_);
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
    const std::scoped_lock lock(mutex_);
    if (phase_ == Phase::kRunning && stopping_ == Stop::kNo) {
      ask_tool_to_stop(Stop::kDrain, orders);
    }
  }
  act(orders);
}

void HeldCall::forget() {
  {
    const std::scoped_lock lock(mutex_);
    phase_ = Phase::kGone;
    abandon_upload();
    if (reports_) reports_->close();
    over_ = true;
  }
  stop_.request_stop();
}

void HeldCall::act(Orders& orders) {
  if (orders.stop_tool) stop_.request_stop();
  auto self = shared_from_this();
  if (orders.publish) {
    bus::Publication publication{.subject = subject_,
                                 .payload = std::move(orders.publish->payload),
                                 .expected_last = orders.publish->expected_last};
    station_->bus.publish(std::move(publication), [self](Result<bus::PubAck> answer) {
      self->on_published(std::move(answer));
    });
  }
  if (orders.read) {
    station_->bus.last_message(proto::kEventsStream, subject_, bus::ReadFrom::kLeader,
                               [self](Result<bus::StoredMessage> answer) {
                                 self->on_last(std::move(answer));
                               });
  }
  if (orders.look_at_window) {
    station_->window->covers(stored_at_,
                             [self](Result<bool> covered) { self->on_window(std::move(covered)); });
  }
  // Before it can run: its limits rely on this look.
  if (orders.wake_at) station_->timer.schedule(*orders.wake_at, self);
  if (orders.submit) station_->executor->submit(self);
  if (orders.released) station_->released(*this);
  if (orders.hanging) station_->hanging(+1);
}

}  // namespace toolway::workers
