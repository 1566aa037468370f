#include "workers/call/log_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "proto/codec.h"
#include "proto/questions.h"

namespace toolway::workers::call {
namespace {

using Kind = LogFinding::Kind;

/// How long knowledge of a log without events holds: after that, events may have come and gone.
constexpr std::chrono::seconds kKnownFor{20};
/// Collectors' answers are trusted this much later, because clocks differ.
constexpr std::chrono::seconds kRecordedMargin{10};
/// Time until the next look at a call that is not taken over; its worker extends its own delivery
/// by then.
constexpr std::chrono::milliseconds kHeldRecheckDelay{2000};
constexpr std::chrono::milliseconds kRecheckDelay{1000};

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

template <typename T>
bool shutting_down(const Result<T>& answer) {
  return !answer && answer.error().code == ErrorCode::kShuttingDown;
}

}  // namespace

bool LogCheck::known(MonotonicTime now) const { return now - known_at_ < kKnownFor; }

LogFinding LogCheck::judged(log::Conclusion verdict, std::uint64_t sequence, Step& step) {
  if (verdict == log::Conclusion::kVanished) {
    step.orders.warn(
        fmt::format("call {}: its events have left the stream; asking the collectors for them",
                    of_.request.call_id()));
    window_.reset();
    ask_collectors(step);
    return {};
  }
  if (verdict == log::Conclusion::kBehind) {
    step.orders.error(
        fmt::format("call {}: stream EVENTS holds less of its log than was stored before; giving "
                    "the call back",
                    of_.request.call_id()));
    return {.kind = Kind::kGiveBack, .delay = kGivenBackFor};
  }
  return {.kind = Kind::kJudged, .verdict = verdict, .sequence = sequence};
}

LogFinding LogCheck::known_from(MonotonicTime now) {
  known_at_ = now;
  return {.kind = Kind::kKnown};
}

LogFinding LogCheck::last_read(Result<bus::StoredMessage> answer, Asker asker, Step& step) {
  if (answer) return meet(std::move(*answer), asker, step);
  if (shutting_down(answer)) return {.kind = Kind::kShuttingDown};
  if (answer.error().code != ErrorCode::kNotFound) {
    return {.kind = Kind::kAskAgain, .redo = Redo::kRead};
  }
  if (!of_.log.follows_nothing()) {
    return judged(of_.log.met(std::nullopt), 0, step);
  }
  // It never had an event, or all of them have left the stream.
  ask_window(step);
  return {};
}

LogFinding LogCheck::meet(bus::StoredMessage message, Asker asker, Step& step) {
  auto event = proto::decode_event(message.payload);
  if (!event) {
    step.orders.error(fmt::format("call {}: its last event cannot be read: {}",
                                  of_.request.call_id(), event.error().message));
    return {.kind = Kind::kUnreadable};
  }
  if (!of_.log.wrote() && log::runs_elsewhere(*event, of_.log.call_sequence(),
                                              of_.hold.server_time() - message.stored_at)) {
    return {.kind = Kind::kGiveBack, .delay = kGivenBackFor};
  }
  log::LastEvent last{std::move(message.payload), message.sequence, std::move(*event)};
  if (asker == Asker::kToBegin && another_worker_runs(last.event)) {
    asking_ = true;
    step.orders.ask_worker = last.event.worker_id();
    peers_ = std::move(last);
    return {};
  }
  return judged(of_.log.met(last), last.sequence, step);
}

bool LogCheck::another_worker_runs(const v1::CallEvent& last) const {
  if (!repeated(of_.request, of_.hold)) return false;
  return proto::is_run(last) && !last.worker_id().empty() &&
         last.worker_id() != of_.options.worker_id;
}

LogFinding LogCheck::window(const Result<EventsHeld>& held, Step& step) {
  if (!held) return {.kind = Kind::kAskAgain, .redo = Redo::kWindow};
  window_ = *held;
  // What it followed and has left the stream was recorded before.
  if (of_.log.last_seq() == 0 && holds_log_of(*held, of_.request, of_.hold.stored_at())) {
    return known_from(step.now);
  }
  ask_collectors(step);
  return {};
}

LogFinding LogCheck::looked_up(const Result<std::string>& answer, Asker asker, Step& step) {
  const Result<v1::LookupAnswer> recorded =
      answer ? proto::decode_lookup_answer(*answer) : fail(answer.error());
  if (recorded) return meet_recorded(*recorded, asker, step);
  if (shutting_down(answer)) return {.kind = Kind::kShuttingDown};
  if (asker == Asker::kHasBegun) return {.kind = Kind::kAskAgain, .redo = Redo::kLookup};
  step.orders.warn(
      fmt::format("call {} is older than anything stream EVENTS holds, and no collector says "
                  "what became of it: {}; looking again in {} s",
                  of_.request.call_id(), recorded.error().message, kGivenBackFor.count()));
  return {.kind = Kind::kGiveBack, .delay = kGivenBackFor};
}

LogFinding LogCheck::meet_recorded(const v1::LookupAnswer& answer, Asker asker, Step& step) {
  if (!answer.last_event().empty()) {
    // Stored after the stream was read: the stream has more detail.
    if (window_ && answer.incarnation() == window_->incarnation &&
        answer.sequence() >= window_->first_sequence) {
      read_last(step);
      return {};
    }
    auto event = proto::decode_event(answer.last_event());
    if (!event) {
      step.orders.error(fmt::format("call {}: its last event, as recorded, cannot be read: {}",
                                    of_.request.call_id(), event.error().message));
      return {.kind = Kind::kUnreadable};
    }
    const log::Conclusion verdict =
        of_.log.met_recorded({answer.last_event(), 0, std::move(*event)});
    if (verdict == log::Conclusion::kVanished)
      return {.kind = Kind::kAskAgain, .redo = Redo::kLookup};
    known_at_ = step.now;
    return judged(verdict, 0, step);
  }
  // No event has left the stream unseen, if all that has left it is recorded.
  if (window_ && of_.log.last_seq() == 0 &&
      from_unix_us(answer.recorded_until_us()) >
          std::max(of_.hold.stored_at(), window_->since) + kRecordedMargin) {
    return known_from(step.now);
  }
  if (asker == Asker::kHasBegun) return {.kind = Kind::kAskAgain, .redo = Redo::kLookup};
  return {.kind = Kind::kGiveBack, .delay = kGivenBackFor};
}

LogFinding LogCheck::peer_said(const Result<std::string>& answer,
                               std::chrono::nanoseconds steady_for, Step& step) {
  if (shutting_down(answer)) return {.kind = Kind::kShuttingDown};
  const auto says = said(answer);
  if (!says) return {.kind = Kind::kAskAgain, .redo = Redo::kRead};
  const PeerFacts facts{.says = *says,
                        .asked = ++peer_asked_,
                        .steady_for = steady_for,
                        .last_event_age = step.wall - from_unix_us(peers_->event.time_us())};
  switch (take_over(facts, of_.options.settle_after_gap)) {
    case TakeOver::kNow: break;
    case TakeOver::kAskAgain: return {.kind = Kind::kAskAgain, .redo = Redo::kRead};
    case TakeOver::kLeave:
      return {.kind = Kind::kGiveBack,
              .delay = *says == PeerSays::kHolds ? kHeldRecheckDelay : kRecheckDelay};
  }
  return judged(of_.log.met(peers_), peers_->sequence, step);
}

}  // namespace toolway::workers::call
