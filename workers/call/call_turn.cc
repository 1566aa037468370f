#include "workers/call/call_turn.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "proto/approvals.h"
#include "workers/call/refused.h"
#include "workers/log/completion.h"

namespace toolway::workers::call {
namespace {

using StartEvent = log::CallLog::StartEvent;
using End = TurnEnd::Kind;
using Why = ToolStop::Why;

constexpr std::chrono::seconds kFresh{30};  // if younger, EVENTS certainly covers it
/// How far ahead a call asks the timer to look at it: one that has ended
/// leaves no trace there for longer.
constexpr std::chrono::seconds kMaxLookInterval{1};
/// Until a call comes back whose tool runs as often as the policy allows.
constexpr std::chrono::milliseconds kBusyDelay{200};

}  // namespace

CallTurn::CallTurn(const Subject& call, const Step& step)
    : request_(call.request),
      options_(call.options),
      spec_(call.spec),
      why_not_(call.why_not),
      approval_digest_(call.approval_digest),
      hold_(call.delivery, options_, step.now),
      writer_({.origin = {request_, options_.worker_id, call.delivery.sequence},
               .rerun = idempotent() ? log::Rerun::kAllowed : log::Rerun::kForbidden,
               .age = repeated(request_, hold_) ? log::DeliveryAge::kRepeated
                                                : log::DeliveryAge::kFirst},
              hold_, options_, alarm_, step.now),
      log_(writer_.log()),
      check_(writer_.check()),
      tool_(options_.cancel_grace),
      clock_(request_, options_, step.wall, step.now),
      end_({log_, tool_, clock_, request_, spec_, call.completion_span}) {
  if (call.attempt_span != nullptr && call.attempt_span->sampled) {
    log_.sent_from(*call.attempt_span);
  }
}

void CallTurn::begin(Step& step) {
  // As often as it comes back while others run: its log need not be read for that.
  if (step.permit == Permit::kFull && !step.refusal && !clock_.exceeded(step.now))
    return nak_and_leave(kBusyDelay, step);
  // An old message may have been handled already, whatever its count says: a server that was
  // killed, or a durable that was recreated, delivers such ones as if for the first time.
  const WallTime first = std::min(hold_.stored_at(), from_unix_us(request_.submitted_at_us()));
  if (step.permit != Permit::kNotNeeded) hold_.comes_back_after(kBusyDelay);
  if (repeated(request_, hold_) || proto::must_be_approved(request_) ||
      step.wall - first > kFresh || clock_.exceeded(step.now)) {
    check_.read_last(step);
    alarm_.set(hold_.next(), step);
  } else {
    proceed(step);
  }
}

void CallTurn::give_back(Step& step) {
  if (phase_ != Phase::kGone) nak_and_leave(std::chrono::milliseconds(0), step);
  if (tool_.running()) step.orders.stop_tool = AfterStop::kRunsAgain;
}

void CallTurn::published(Result<bus::PubAck> answer, Step& step) {
  if (phase_ == Phase::kGone) return;
  if (answer) return stored(answer->sequence, step);
  switch (answer.error().code) {
    case ErrorCode::kWrongLastSequence: return check_.read_last(step);
    case ErrorCode::kShuttingDown: return leave(step);
    case ErrorCode::kInternal:
    case ErrorCode::kPayloadTooLarge: return refused_by_server(answer.error(), step);
    // It may or may not be stored: sending the same bytes again settles it.
    default: return writer_.redo_later(Redo::kPublish, step);
  }
}

void CallTurn::refused_by_server(const Error& error, Step& step) {
  step.orders.error(
      fmt::format("call {}: the bus refused an event: {}", request_.call_id(), error.message));
  const auto kind = log_.in_flight_kind();
  const bool too_large = error.code == ErrorCode::kPayloadTooLarge;  // so it was never sent
  if (too_large && kind == log::CallLog::Kind::kReport) {
    log_.drop_report();
    return writer_.pump(step);
  }
  const bool ends =
      kind == log::CallLog::Kind::kCompleted || (too_large && kind == log::CallLog::Kind::kRetry);
  // Comes again after ack_wait.
  if (!ends || !end_.replace_refused(error)) return stop_and_leave(step);
  writer_.pump(step);
}

bool CallTurn::answered(Step& step) {
  check_.answered();
  if (phase_ == Phase::kGone) return false;
  if (!unextended(step)) return true;
  stop_and_leave(step);
  return false;
}

void CallTurn::conclude(const LogFinding& finding, Step& step) {
  switch (finding.kind) {
    case LogFinding::Kind::kAsked: return;
    case LogFinding::Kind::kAskAgain: return writer_.redo_later(finding.redo, step);
    case LogFinding::Kind::kKnown:
      if (phase_ == Phase::kLooking) return proceed(step);
      return writer_.end_is_known(step);
    case LogFinding::Kind::kJudged: return judge(finding.verdict, finding.sequence, step);
    case LogFinding::Kind::kGiveBack:
      ask_tool_to_stop(Why::kDrain, step);
      return nak_and_leave(finding.delay, step);
    case LogFinding::Kind::kUnreadable: return stop_and_leave(step);
    case LogFinding::Kind::kShuttingDown: return leave(step);
  }
}

void CallTurn::judge(log::Conclusion verdict, std::uint64_t sequence, Step& step) {
  switch (verdict) {
    case log::Conclusion::kGoOn: return go_on(step);
    case log::Conclusion::kStored: return stored(sequence, step);
    case log::Conclusion::kAgain: return writer_.redo_later(Redo::kPublish, step);
    case log::Conclusion::kCancelled: return meet_cancellation(step);
    case log::Conclusion::kRetry: end_.count_failures_again(); return meet_retry(step);
    case log::Conclusion::kTakenOver:
      step.orders.took_over = true;
      end_.count_failures_again();
      if (log_.broken() < log::kMaxBrokenAttempts) return go_on(step);
      return complete_unstarted(log::broke_off_too_often(log_.broken()), step);
    case log::Conclusion::kNotAgain:
      step.orders.took_over = true;
      return complete_unstarted(log::unknown_after(log_.attempt() - 1), step);
    case log::Conclusion::kHeld: return complete_unstarted(log::refused(approval_missing()), step);
    case log::Conclusion::kParked:
    case log::Conclusion::kFinished:
      step.orders.settle = bus::Settlement{bus::SettleKind::kAck};
      return stop_and_leave(step);
    case log::Conclusion::kLost: return stop_and_leave(step);
    case log::Conclusion::kAnswered: return meet_answers(step);
    case log::Conclusion::kVanished:
    case log::Conclusion::kBehind: break;  // the check has other findings for them
  }
}

bool CallTurn::unapproved() const {
  if (!proto::must_be_approved(request_)) return !log_.approved().empty();
  return approval_digest_.empty() || log_.approved() != approval_digest_;
}

void CallTurn::go_on(Step& step) {
  if (phase_ == Phase::kLooking) return proceed(step);
  if (unapproved()) return complete_unstarted(log::refused(approval_missing()), step);
  writer_.pump(step);
}

void CallTurn::proceed(Step& step) {
  if (unapproved()) return end({End::kUnstarted, log::refused(approval_missing())}, step);
  if (log_.attempt() > 1) clock_.left_queue();
  if (step.refusal) return end({End::kAttempt, log::refused(*step.refusal)}, step);
  if (const auto limit = clock_.exceeded(step.now)) {
    return end({End::kAttempt, clock_.timed_out(*limit)}, step);
  }
  if (spec_ == nullptr) return end({End::kAttempt, log::cannot_run(*why_not_)}, step);
  if (step.permit == Permit::kNotNeeded) return start(step);
  if (step.permit == Permit::kFull) return nak_and_leave(kBusyDelay, step);
  phase_ = Phase::kPermit;
  step.orders.take_permit = true;
  alarm_.set(hold_.next(), step);
}

void CallTurn::permit_said(Permit said, Step& step) {
  if (phase_ != Phase::kPermit) return;
  if (unextended(step)) return stop_and_leave(step);
  if (said != Permit::kNotNeeded) return nak_and_leave(kBusyDelay, step);
  if (step.refusal) return end({End::kAttempt, log::refused(*step.refusal)}, step);
  start(step);
}

void CallTurn::start(Step& step) {
  alarm_.set(step.now + std::max(options_.merge_window, std::chrono::milliseconds(2)), step);
  phase_ = starts_first() ? Phase::kStarting : Phase::kQueued;
  step.orders.submit = phase_ == Phase::kQueued;
  if (step.orders.submit) return;
  log_.start(to_unix_us(step.wall), StartEvent::kNow);
  writer_.pump(step);
}

void CallTurn::stored(std::uint64_t sequence, Step& step) {
  switch (writer_.acked(sequence)) {
    case log::CallLog::Kind::kStarted:
      // It slept: the worker that takes the call over reports that it broke off.
      if (phase_ == Phase::kStarting && unextended(step)) return stop_and_leave(step);
      start_stored(step);
      break;
    case log::CallLog::Kind::kCompleted:
      step.orders.settle = bus::Settlement{bus::SettleKind::kAck};
      step.orders.completed = log_.outcome();
      return leave(step);
    case log::CallLog::Kind::kParked: return parked(step);
    case log::CallLog::Kind::kRetry: step.orders.retried = true; return wait_for_retry(step);
    case log::CallLog::Kind::kReport:
    case log::CallLog::Kind::kQuestion:
    case log::CallLog::Kind::kAlive: break;
  }
  writer_.pump(step);
}

void CallTurn::thread_came(Step& step) {
  if (phase_ != Phase::kQueued) return;
  if (const auto limit = clock_.exceeded(step.now)) {
    if (*limit != log::LimitKind::kQueue || !log_.start_stored()) {
      return end({End::kAttempt, clock_.timed_out(*limit)}, step);
    }
  }
  // Refused while it waited for a thread; once Started is stored, the call does start.
  if (step.refusal && !log_.start_stored()) {
    return end({End::kAttempt, log::refused(*step.refusal)}, step);
  }
  phase_ = Phase::kRunning;
  tool_.started();
  step.orders.run = log_.attempt();
  const bool held_back = !starts_first() && !spec_->multi_step;
  clock_.started(held_back ? StartEvent::kHeldBack : StartEvent::kNow, step.now);
  if (!starts_first()) {
    log_.start(to_unix_us(step.wall), held_back ? StartEvent::kHeldBack : StartEvent::kNow);
    writer_.pump(step);
  }
  alarm_.set(next_look(step.now), step);
}

bool CallTurn::upload_begins(Step& step) {
  if (phase_ != Phase::kRunning) return false;
  if (tool_.why() != Why::kNo && (tool_.why() != Why::kDrain || idempotent())) return false;
  if (log_.start_stored()) {
    step.orders.begin_upload = true;
  } else {
    // Only a stored Started makes the attempt's number, and so its chunks, ours alone.
    clock_.start_released();
    log_.release_start();
    writer_.pump(step);
  }
  return true;
}

void CallTurn::tool_ended(v1::Completed completed, bool forced, Step& step) {
  tool_.returned(forced);
  if (tool_.hanging()) step.orders.hanging = -1;
  if (phase_ == Phase::kRunning) end(end_.returned(std::move(completed)), step);
}

void CallTurn::grace_passed(Step& step) {
  if (!tool_.grace_passed()) return;
  step.orders.hanging = +1;
  if (tool_.abandon_thread()) step.orders.abandon_thread = true;
  if (phase_ == Phase::kRunning) end(end_.not_returned(), step);
}

void CallTurn::end(TurnEnd how, Step& step) {
  if (how.kind == End::kGiveBack) return nak_and_leave(std::chrono::milliseconds(0), step);
  phase_ = Phase::kEnding;
  end_.write(std::move(how), step);
  writer_.pump(step);
}

/// Whatever the tool does or has done, the log does not mention it.
void CallTurn::complete_unstarted(v1::Completed completed, Step& step) {
  log_.never_started();
  ask_tool_to_stop(Why::kDrain, step);
  if (!log_.ending()) return end({End::kUnstarted, std::move(completed)}, step);
  log_.replace_completion(std::move(completed));
  writer_.pump(step);
}

void CallTurn::meet_cancellation(Step& step) {
  // As far as the log says, the call never starts.
  if (!log_.start_stored()) return complete_unstarted(log::cancelled(), step);
  // A tool that ended before the cancellation arrived keeps its completion; another attempt
  // no longer follows a failure.
  if (log_.completing()) return writer_.pump(step);
  if (phase_ != Phase::kRunning) return end({End::kUnstarted, log::cancelled()}, step);
  ask_tool_to_stop(Why::kCancelled, step);
  writer_.pump(step);
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

void CallTurn::ask_tool_to_stop(Why why, Step& step) {
  if (!tool_.ask(why, step.now)) return;
  // A call that cannot be run again gets the grace to store its result.
  if (why != Why::kDrain || idempotent()) step.orders.abandon_upload = true;
  step.orders.stop_tool = why == Why::kDrain ? AfterStop::kRunsAgain : AfterStop::kCallEnds;
  alarm_.set(tool_.grace_until(), step);
}

void CallTurn::leave(Step& step) {
  if (phase_ == Phase::kGone) return;
  phase_ = Phase::kGone;
  step.orders.released = true;
  step.orders.abandon_upload = true;
  // Its slot is free now, so another thread may replace the one that it still has.
  if (!tool_.leave_thread(step.now)) return;
  step.orders.abandon_thread = true;
  alarm_.set(tool_.grace_until(), step);
}

void CallTurn::time_passed(const Sight& sight, Step& step) {
  if (!alarm_.rings(step.now)) return;
  if (phase_ != Phase::kGone) {
    extend(sight, step);
    check_limits(sight, step);
    if (phase_ == Phase::kRunning && clock_.alive_due(step.now)) log_.alive();
    if (clock_.start_due(step.now)) log_.release_start();
    if (phase_ == Phase::kRunning && may_park() && clock_.park_due(step.now))
      log_.park(clock_.waits_for());
  }
  if (step.now >= tool_.grace_until()) grace_passed(step);
  if (phase_ != Phase::kGone) {
    if (writer_.redo_due(step.now)) {
      writer_.redo(step);
    } else if (phase_ == Phase::kRunning && !step.orders.publish) {
      writer_.pump(step);
    }
  }
  if (!over()) alarm_.set(next_look(step.now), step);
}

MonotonicTime CallTurn::next_look(MonotonicTime now) {
  if (phase_ == Phase::kGone) return tool_.grace_until();
  MonotonicTime at =
      std::min({now + kMaxLookInterval, writer_.redo_at(), hold_.next(), tool_.grace_until()});
  if (phase_ == Phase::kRunning) {
    at = std::min({at, clock_.next_event(), log_.report_ready_at(now)});
    if (tool_.why() == Why::kNo) at = std::min(at, clock_.next_limit());
    if (may_park()) at = std::min(at, clock_.parks_at());
  }
  return std::max(now, at);
}

bool CallTurn::unextended(const Step& step) const {
  // A known completion is worth keeping: only the chain decides whether it still counts.
  return phase_ < Phase::kEnding && hold_.lost(step.now);
}

void CallTurn::extend(const Sight& sight, Step& step) {
  if (unextended(step)) return stop_and_leave(step);
  if (hold_.extend(step.now, sight.connection)) {
    step.orders.settle = bus::Settlement{bus::SettleKind::kInProgress};
  }
}

void CallTurn::check_limits(const Sight& sight, Step& step) {
  // Before it runs, its limits are looked at when it is about to start.
  if (phase_ != Phase::kRunning || tool_.why() != Why::kNo) return;
  if (clock_.past_limit(sight.progress, step.now)) ask_tool_to_stop(Why::kLimit, step);
}

}  // namespace toolway::workers::call
