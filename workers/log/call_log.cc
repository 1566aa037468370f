#include "workers/log/call_log.h"

#include <fmt/format.h>

#include <algorithm>

namespace toolway::workers::log {
namespace {

/// A running attempt says every 10 s that it is alive.
constexpr std::chrono::seconds kAttemptSilentAfter{45};

}  // namespace

bool runs_elsewhere(const v1::CallEvent& last, std::uint64_t call_sequence,
                    std::chrono::microseconds silent) {
  const bool running =
      last.has_started() || last.has_progress() || last.has_log() || last.has_alive();
  if (!running || last.call_sequence() == 0 || last.call_sequence() == call_sequence) return false;
  return silent < kAttemptSilentAfter;
}

void CallLog::start(std::int64_t started_at_us, StartEvent when) {
  started_at_us_ = started_at_us;
  start_held_ = when == StartEvent::kHeldBack;
}

void CallLog::complete(v1::Completed completed) {
  if (ending()) return;
  completed_ = std::move(completed);
  backlog_.compact();
}

void CallLog::fail_for_now(v1::RetryAt retry) {
  if (ending()) return;
  retry_ = std::move(retry);
  backlog_.compact();
}

void CallLog::replace_completion(v1::Completed completed) {
  in_flight_.reset();
  retry_.reset();
  completed_ = std::move(completed);
}

void CallLog::drop_report() {
  in_flight_.reset();
  backlog_.count_dropped();
}

void CallLog::never_started() {
  if (start_stored_) return;
  started_at_us_.reset();
  backlog_.clear();
}

bool CallLog::merges_start() const {
  return completed_ && backlog_.empty() && backlog_.dropped() == 0;
}

CallLog::Publish CallLog::launch(std::string payload, Kind kind, std::uint32_t seq) {
  in_flight_ = InFlight{std::move(payload), kind, seq};
  return again();
}

CallLog::Publish CallLog::again() const { return {in_flight_->payload, last_sequence_}; }

std::optional<CallLog::Publish> CallLog::next(WallTime wall, MonotonicTime now) {
  if (in_flight_ || finished_) return std::nullopt;
  const bool start_missing = started_at_us_ && !start_stored_;
  if (start_missing && !merges_start()) {
    // A report cannot precede the start of its attempt, nor wait for the window's end.
    if (start_held_ && backlog_.empty() && !ending()) return std::nullopt;
    return launch(write_started(origin_, place(last_seq_ + 1, wall), *started_at_us_),
                  Kind::kStarted, last_seq_ + 1);
  }
  if (auto report = next_report(wall, now)) return report;
  if (completed_) {
    if (!started_at_us_) attempt_ = last_attempt_;
    if (started_at_us_) completed_->set_started_at_us(*started_at_us_);
    completed_->set_merged_start(start_missing);
    const std::uint32_t seq = last_seq_ + (start_missing ? 2 : 1);
    return launch(write_completed(origin_, place(seq, wall), *completed_), Kind::kCompleted, seq);
  }
  if (retry_) {
    auto where = place(last_seq_ + 1, wall);
    ++where.failures;
    return launch(write_retry_at(origin_, where, *retry_), Kind::kRetry, last_seq_ + 1);
  }
  if (alive_due_ && start_stored_) {
    alive_due_ = false;
    return launch(write_alive(origin_, place(last_seq_ + 1, wall)), Kind::kAlive, last_seq_ + 1);
  }
  return std::nullopt;
}

std::optional<CallLog::Publish> CallLog::next_report(WallTime wall, MonotonicTime now) {
  auto entry = ending() ? backlog_.take_last_words() : backlog_.take(now);
  if (!entry) {
    // Written once, after everything else: nothing is dropped after that.
    if (!ending() || backlog_.dropped() == 0 || told_dropped_) return std::nullopt;
    told_dropped_ = true;
    v1::Log log;
    log.set_level("warning");
    log.set_message(fmt::format("{} progress and log reports beyond the call's limits were dropped",
                                backlog_.dropped()));
    entry = Backlog::Entry{std::move(log)};
  }
  const std::uint32_t seq = last_seq_ + 1;
  std::string payload =
      entry->body.index() == 0
          ? write_progress(origin_, place(seq, wall), std::get<v1::Progress>(entry->body))
          : write_log(origin_, place(seq, wall), std::get<v1::Log>(entry->body));
  Publish publish = launch(std::move(payload), Kind::kReport, seq);
  in_flight_->report = std::move(entry);
  return publish;
}

MonotonicTime CallLog::report_ready_at(MonotonicTime now) {
  if (in_flight_ || finished_ || !started_at_us_) return MonotonicTime::max();
  return backlog_.ready_at(now);
}

CallLog::Kind CallLog::acked(std::uint64_t sequence) {
  const Kind kind = in_flight_->kind;
  last_sequence_ = sequence;
  last_seq_ = in_flight_->seq;
  last_attempt_ = attempt_;
  wrote_ = true;
  if (kind == Kind::kStarted) start_stored_ = true;
  if (kind == Kind::kCompleted) finished_ = true;
  if (kind == Kind::kRetry) {
    finished_ = true;
    ++failures_;
    retry_due_us_ = retry_->at_us();
  }
  in_flight_.reset();
  return kind;
}

void CallLog::put_back() {
  if (!in_flight_) return;
  if (in_flight_->report) backlog_.put_back(std::move(*in_flight_->report));
  if (in_flight_->kind == Kind::kAlive) alive_due_ = true;
  in_flight_.reset();
}

Conclusion CallLog::met(const std::optional<LastEvent>& last) {
  if (!last) {
    if (last_sequence_ != 0) return Conclusion::kVanished;
    return in_flight_ ? Conclusion::kAgain : Conclusion::kGoOn;
  }
  // Bytes, not names: they carry the time to the microsecond, so even a worker
  // that was restarted under its old name does not take another's event for its own.
  if (in_flight_ && last->payload == in_flight_->payload) return Conclusion::kStored;
  if (last->sequence == last_sequence_) return in_flight_ ? Conclusion::kAgain : Conclusion::kGoOn;
  if (last->sequence < last_sequence_) return Conclusion::kBehind;
  return conclude(last->event, last->sequence);
}

Conclusion CallLog::met_recorded(const LastEvent& last) {
  if (in_flight_ && last.payload == in_flight_->payload) return Conclusion::kStored;
  if (wrote_) {
    if (last.event.seq() < last_seq_) return Conclusion::kVanished;  // not all is recorded yet
    if (last.event.seq() == last_seq_) {
      last_sequence_ = 0;
      return in_flight_ ? Conclusion::kAgain : Conclusion::kGoOn;
    }
  }
  // Its writer has not said that it is alive for the whole window.
  age_ = DeliveryAge::kRepeated;
  return conclude(last.event, 0);
}

Conclusion CallLog::conclude(const v1::CallEvent& event, std::uint64_t sequence) {
  if (event.has_completed()) return Conclusion::kFinished;
  if (event.has_cancel_requested()) {
    // A gateway writes it after the last event, and never after another: its number says
    // whether our event in flight, or another writer's, comes before it.
    const bool behind_ours =
        in_flight_ && in_flight_->kind != Kind::kCompleted && event.seq() == in_flight_->seq + 1;
    const bool behind_known = event.seq() == last_seq_ + 1;
    if (behind_ours) {
      acked(sequence);
    } else if (!behind_known && owner()) {
      return Conclusion::kLost;
    }
    follow(event, sequence);
    attempt_ = std::max(attempt_, last_attempt_);
    finished_ = false;
    retry_.reset();
    return Conclusion::kCancelled;
  }
  if (event.has_approval_requested() || event.has_approval_decided()) {
    // It comes before any attempt, and a gateway or the reaper wrote it, not another worker.
    if (wrote_) return Conclusion::kLost;
    follow(event, sequence);
    return event.approved().empty() ? Conclusion::kHeld : Conclusion::kGoOn;
  }
  if (event.has_retry_at() ? wrote_ : owner()) return Conclusion::kLost;
  follow(event, sequence);
  attempt_ = last_attempt_ + 1;
  if (event.has_retry_at()) {
    retry_due_us_ = event.retry_at().at_us();
    return Conclusion::kRetry;
  }
  return rerun_ == Rerun::kAllowed ? Conclusion::kTakenOver : Conclusion::kNotAgain;
}

void CallLog::follow(const v1::CallEvent& event, std::uint64_t sequence) {
  put_back();
  last_sequence_ = sequence;
  last_seq_ = event.seq();
  last_attempt_ = std::max(last_attempt_, event.attempt());
  failures_ = std::max(failures_, event.failures());
  if (!event.approved().empty()) approved_ = event.approved();
}

}  // namespace toolway::workers::log
