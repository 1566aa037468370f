#include "workers/call/held_call.h"

#include <algorithm>

#include "base/ids.h"
#include "base/mutex.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "workers/log/completion.h"

namespace toolway::workers {
namespace {

constexpr std::chrono::seconds kFresh{30};  // if younger, EVENTS certainly covers it
/// How long knowledge of a log without events holds: after that, events may have come and gone.
constexpr std::chrono::seconds kKnownFor{20};

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

/// Most calls belong to no trace, and pay nothing for it.
std::unique_ptr<CallSpans> spans_of(const Station& station, const v1::CallRequest& request,
                                    const bus::Delivery& delivery) {
  if (!request.has_trace()) return nullptr;
  return std::make_unique<CallSpans>(*station.options.tracer, request, delivery.delivery_count,
                                     station.clock.wall());
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
      spans_(spans_of(*station_, request_, delivery)),
      delivery_(std::move(delivery)),
      log_({request_, station_->options.worker_id, delivery_.sequence},
           idempotent_ ? Rerun::kAllowed : Rerun::kForbidden,
           delivery_.delivery_count > 1 || request_.publication() > 0 ? DeliveryAge::kRepeated
                                                                      : DeliveryAge::kFirst),
      deadlines_(request_.limits(), from_unix_us(request_.submitted_at_us()),
                 station_->clock.wall(), station_->clock.monotonic()),
      log_known_at_(station_->clock.monotonic()),
      extended_at_(log_known_at_),
      extend_at_(extended_at_ + station_->options.extend_interval) {
  if (trace().sampled) log_.sent_from(trace());
}

void HeldCall::begin() {
  Orders orders;
  {
    const MutexLock lock(mutex_);
    // An old message may have been handled already, whatever its count says: a server that was
    // killed, or a durable that was recreated, delivers such ones as if for the first time.
    const WallTime first = std::min(stored_at_, from_unix_us(request_.submitted_at_us()));
    if (delivery_.delivery_count > 1 || request_.publication() > 0 ||
        station_->clock.wall() - first > kFresh ||
        deadlines_.exceeded(station_->clock.monotonic())) {
      read_last(orders);
      wake_at(extend_at_, orders);
    } else {
      proceed(orders);
    }
  }
  act(orders);
}

bool HeldCall::redelivered(bus::Delivery& delivery) {
  const MutexLock lock(mutex_);
  if (phase_ == Phase::kGone) return false;
  delivery_ = std::move(delivery);
  extended_at_ = station_->clock.monotonic();
  return true;
}

std::optional<v1::Completed> HeldCall::switched_off() const {
  const auto switches = station_->switches->now();
  const auto& labels = request_.labels();
  const auto* off = switches->off(labels.namespace_(), labels.tool());
  if (off == nullptr) return std::nullopt;
  return workers::switched_off(proto::switched_off(labels.namespace_(), labels.tool(), *off));
}

void HeldCall::proceed(Orders& orders) {
  const MonotonicTime now = station_->clock.monotonic();
  if (log_.attempt() > 1) deadlines_.left_queue();
  if (auto off = switched_off()) return complete_attempt(*std::move(off), orders);
  if (const auto limit = deadlines_.exceeded(now)) {
    return complete_attempt(timed_out(*limit, deadlines_.allowed(*limit)), orders);
  }
  if (entry_->tool() == nullptr) {
    return complete_attempt(cannot_run(entry_->why_not()), orders);
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
  if (spans_ && spans_->recorded()) {
    const WallTime now = station_->clock.wall();
    spans_->attempt_ended(completed, now, orders.spans);
    log_.sent_from(spans_->completing(*station_->options.tracer, now));
  }
  log_.complete(std::move(completed));
  pump(orders);
}

void HeldCall::pump(Orders& orders) {
  if (redo_ != Redo::kNone || reading_) return;
  if (look_due_ && !log_.in_flight()) {
    look_due_ = false;
    return read_last(orders);
  }
  take_reports();
  if (auto next = log_.next(station_->clock.wall(), station_->clock.monotonic())) {
    return send(*std::move(next), orders);
  }
  if (phase_ == Phase::kRunning) {
    const MonotonicTime at = log_.report_ready_at(station_->clock.monotonic());
    if (at != MonotonicTime::max()) wake_at(at, orders);
  }
}

/// The server accepts a first event even when earlier ones have left the stream: a worker that
/// slept, or was cut off, looks first.
void HeldCall::send(CallLog::Publish event, Orders& orders) {
  const bool known = station_->clock.monotonic() - log_known_at_ < kKnownFor;
  if (event.expected_last == 0 && !known) return read_last(orders);
  orders.publish = std::move(event);
}

void HeldCall::read_last(Orders& orders) { orders.read = reading_ = true; }

void HeldCall::nak_and_leave(std::chrono::milliseconds delay, Orders& orders) {
  delivery_.nak(delay);
  leave(orders);
}

void HeldCall::leave(Orders& orders) {
  if (phase_ == Phase::kGone) return;
  phase_ = Phase::kGone;
  orders.released = true;
  if (spans_) spans_->over(station_->clock.wall(), orders.spans);
  abandon_upload();
  if (reports_) reports_->close();
  if (in_tool_ && !thread_abandoned_) {
    // Its slot is free now, so another thread may replace this one.
    thread_abandoned_ = true;
    station_->executor->abandon();
    grace_until_ = station_->clock.monotonic() + station_->options.cancel_grace;
    wake_at(grace_until_, orders);
  }
  over_ = !in_tool_ || counted_hanging_;
}

void HeldCall::act(Orders& orders) {
  if (orders.stop_tool) stop_.request_stop();
  for (auto& span : orders.spans) station_->options.tracer->end(std::move(span));
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
    station_->bus.last_message(
        proto::kEventsStream, subject_, bus::ReadFrom::kLeader,
        [self](Result<bus::StoredMessage> answer) { self->on_last(std::move(answer)); });
  }
  if (orders.ask_window) {
    station_->window->ask([self](Result<EventsHeld> held) { self->on_window(std::move(held)); });
  }
  if (orders.look_up) {
    v1::LookupRequest question;
    question.set_call_id(id());
    station_->bus.request(
        std::string(proto::kLookupSubject), question.SerializeAsString(),
        [self](Result<std::string> answer) { self->on_looked_up(std::move(answer)); });
  }
  if (!orders.ask_worker.empty()) {
    v1::ControlRequest question;
    question.set_call_id(id());
    station_->bus.request(proto::control_subject(orders.ask_worker), question.SerializeAsString(),
                          [self](Result<std::string> answer) { self->on_peer(std::move(answer)); });
  }
  // Before it can run: its limits rely on this look.
  if (orders.wake_at) station_->timer.schedule(*orders.wake_at, self);
  if (orders.submit) station_->executor->submit(self);
  if (orders.released) station_->released(*this);
  if (orders.hanging) station_->hanging(+1);
}

}  // namespace toolway::workers
