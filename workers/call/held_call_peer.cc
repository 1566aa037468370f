// How a held call finds out whether the worker that wrote its last event still has it.
#include "base/mutex.h"
#include "proto/codec.h"
#include "workers/call/held_call.h"
#include "workers/call/peer.h"

namespace toolway::workers {
namespace {

/// Time until the next look at a call that is not taken over; its worker extends its own delivery
/// by then.
constexpr std::chrono::milliseconds kLookAgain{2000};
constexpr std::chrono::milliseconds kLookAgainSoon{1000};

std::optional<PeerSays> said(const Result<std::string>& answer) {
  if (answer) {
    v1::ControlAnswer control;
    if (!control.ParseFromString(*answer)) return PeerSays::kSilent;
    return control.held() ? PeerSays::kHolds : PeerSays::kDoesNotHold;
  }
  if (answer.error().code == ErrorCode::kNotFound) return PeerSays::kNotThere;
  if (answer.error().code == ErrorCode::kTimeout) return PeerSays::kSilent;
  return std::nullopt;
}

}  // namespace

bool HeldCall::another_worker_runs(const v1::CallEvent& last) const {
  if (delivery_.delivery_count == 1 && request_.publication() == 0) return false;
  const bool running =
      last.has_started() || last.has_progress() || last.has_log() || last.has_alive();
  return running && !last.worker_id().empty() && last.worker_id() != station_->options.worker_id;
}

void HeldCall::ask_peer(LastEvent last, Orders& orders) {
  reading_ = true;
  orders.ask_worker = last.event.worker_id();
  peer_wrote_ = std::move(last);
}

void HeldCall::on_peer(Result<std::string> answer) {
  const Inside inside(station_->gate);
  if (!inside) return;
  Orders orders;
  {
    const MutexLock lock(mutex_);
    reading_ = false;
    if (phase_ == Phase::kGone) return;
    const auto now = station_->clock.monotonic();
    const auto says = said(answer);
    if (unextended(now)) {
      stop_and_leave(orders);
    } else if (!answer && answer.error().code == ErrorCode::kShuttingDown) {
      leave(orders);
    } else if (!says) {
      redo_later(Redo::kRead, orders);
    } else {
      const PeerFacts facts{
          .says = *says,
          .asked = ++peer_asked_,
          .steady_for = station_->steadiness.steady_for(now),
          .last_event_age = station_->clock.wall() - from_unix_us(peer_wrote_->event.time_us())};
      switch (take_over(facts, station_->options.settle_after_gap)) {
        case TakeOver::kNow: judge(log_.met(peer_wrote_), peer_wrote_->sequence, orders); break;
        case TakeOver::kAskAgain: redo_later(Redo::kRead, orders); break;
        case TakeOver::kLeave:
          nak_and_leave(*says == PeerSays::kHolds ? kLookAgain : kLookAgainSoon, orders);
          break;
      }
    }
  }
  act(orders);
}

}  // namespace toolway::workers
