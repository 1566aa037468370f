#include "workers/log/call_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "proto/questions.h"

namespace toolway::workers::log {
namespace {

/// A running attempt says every 10 s that it is alive.
constexpr std::chrono::seconds kAttemptSilentAfter{45};

}  // namespace

bool runs_elsewhere(const v1::CallEvent& last, std::uint64_t call_sequence,
                    std::chrono::microseconds silent) {
  if (!proto::is_run(last) || last.call_sequence() == 0 || last.call_sequence() == call_sequence)
    return false;
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

Result<void> CallLog::ask(std::vector<v1::Question> questions) {
  std::vector<v1::Question> added;
  std::size_t bytes = 0;
  const auto of_key = [](const auto& among, const v1::Question& question) {
    return std::ranges::find(among, question.key(), &v1::Question::key);
  };
  for (const auto* known : {&questions_, &asked_})
    for (const auto& question : *known) bytes += proto::size_of(question);
  for (auto& question : questions) {
    const auto before = of_key(questions_, question);
    const auto waiting = of_key(asked_, question);
    const v1::Question* known = before != questions_.end() ? &*before : nullptr;
    if (known == nullptr && waiting != asked_.end()) known = &*waiting;
    if (known == nullptr && of_key(added, question) == added.end()) {
      bytes += proto::size_of(question);
      added.push_back(std::move(question));
      continue;
    }
    // Of one that is answered only its method is still known.
    const bool same = known != nullptr && known->method() == question.method() &&
                      (known->params().empty() || known->params() == question.params());
    if (!same)
      return fail(
          ErrorCode::kInvalidRequest,
          fmt::format("the key `{}` stands for another question of this call", question.key()));
  }
  if (questions_.size() + asked_.size() + added.size() > proto::kMaxQuestions)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("a call asks at most {} questions", proto::kMaxQuestions));
  if (bytes > proto::kMaxQuestionsBytes)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("a call's questions and answers have at most {} bytes",
                            proto::kMaxQuestionsBytes));
  std::ranges::move(added, std::back_inserter(asked_));
  return {};
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
  asked_.clear();
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
    if (start_held_ && backlog_.empty() && asked_.empty() && !ending()) return std::nullopt;
    return launch(write_started(origin_, place(last_seq_ + 1, wall), *started_at_us_),
                  Kind::kStarted, last_seq_ + 1);
  }
  if (auto report = next_report(wall, now)) return report;
  if (completed_) {
    if (!started_at_us_) attempt_ = last_attempt_;
    if (started_at_us_) completed_->set_started_at_us(*started_at_us_);
    completed_->set_merged_start(start_missing);
    const std::uint32_t seq = last_seq_ + (start_missing ? 2 : 1);
    auto where = place(seq, wall);
    where.questions = {};  // the answers were for the tool
    return launch(write_completed(origin_, where, *completed_), Kind::kCompleted, seq);
  }
  if (retry_) {
    auto where = place(last_seq_ + 1, wall);
    ++where.failures;
    return launch(write_retry_at(origin_, where, *retry_), Kind::kRetry, last_seq_ + 1);
  }
  if (!asked_.empty()) return launch_question(wall);
  if (waits_without_answers()) {
    auto where = place(last_seq_ + 1, wall);
    ++where.parks;
    return launch(write_parked(origin_, where, park_for_), Kind::kParked, last_seq_ + 1);
  }
  if (alive_due_ && start_stored_) {
    alive_due_ = false;
    return launch(write_alive(origin_, place(last_seq_ + 1, wall)), Kind::kAlive, last_seq_ + 1);
  }
  return std::nullopt;
}

CallLog::Publish CallLog::launch_question(WallTime wall) {
  const std::uint32_t seq = last_seq_ + 1;
  auto publish =
      launch(write_input_requested(origin_, place(seq, wall), asked_), Kind::kQuestion, seq);
  in_flight_->asked = asked_.size();
  return publish;
}

/// It must be parked, and one of the questions waits for its answer.
bool CallLog::waits_without_answers() const {
  return std::ranges::any_of(park_for_, [&](const std::string& key) {
    const auto asked = std::ranges::find(questions_, key, &v1::Question::key);
    return asked != questions_.end() && asked->answer().empty();
  });
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
  last_seq_ = last_followed_ = in_flight_->seq;
  last_attempt_ = attempt_;
  wrote_ = true;
  if (kind == Kind::kStarted) start_stored_ = true;
  if (kind == Kind::kCompleted) finished_ = true;
  if (kind == Kind::kQuestion) {
    const auto end = asked_.begin() + static_cast<std::ptrdiff_t>(in_flight_->asked);
    std::move(asked_.begin(), end, std::back_inserter(questions_));
    asked_.erase(asked_.begin(), end);
  }
  if (kind == Kind::kParked) {
    park_for_.clear();
    ++parks_;
  }
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
    if (meet_gateways(event, sequence) == After::kTaken) return Conclusion::kLost;
    attempt_ = std::max(attempt_, last_attempt_);
    finished_ = false;
    retry_.reset();
    return Conclusion::kCancelled;
  }
  if (proto::is_parked(event)) return follow_parked(event, sequence);
  if (event.has_input_provided()) {
    const auto after = meet_gateways(event, sequence);
    if (after == After::kTaken) return Conclusion::kLost;
    return after == After::kKnown ? Conclusion::kAnswered : follow_attempt();
  }
  if (event.has_approval_requested() || event.has_approval_decided()) {
    // It comes before any attempt, and a gateway or the reaper wrote it, not another worker.
    if (wrote_) return Conclusion::kLost;
    follow(event, sequence);
    return event.approved().empty() ? Conclusion::kHeld : Conclusion::kGoOn;
  }
  if (event.has_retry_at() ? wrote_ : owner()) return Conclusion::kLost;
  follow(event, sequence);
  if (!event.has_retry_at()) return follow_attempt();
  attempt_ = last_attempt_ + 1;
  retry_due_us_ = event.retry_at().at_us();
  return Conclusion::kRetry;
}

Conclusion CallLog::follow_attempt() {
  attempt_ = last_attempt_ + 1;
  return rerun_ == Rerun::kAllowed ? Conclusion::kTakenOver : Conclusion::kNotAgain;
}

Conclusion CallLog::follow_parked(const v1::CallEvent& event, std::uint64_t sequence) {
  // By us: what answered it has it published again.
  if (wrote_) return Conclusion::kParked;
  const bool answered_more = last_followed_ != 0 && proto::followed_by(event) == last_followed_;
  follow(event, sequence);
  if (!proto::is_parked_and_answered(event)) return Conclusion::kParked;
  if (answered_more) return Conclusion::kAnswered;
  attempt_ = last_attempt_ + 1;
  retry_due_us_ = 0;
  return Conclusion::kRetry;
}

CallLog::After CallLog::meet_gateways(const v1::CallEvent& event, std::uint64_t sequence) {
  const auto followed = proto::followed_by(event);
  // It names the attempt whose event it follows, by its worker; a cancellation names no worker
  // where none runs the call any more.
  const bool unnamed = event.has_cancel_requested() && event.worker_id().empty();
  const bool ours =
      event.attempt() == attempt_ && (unnamed || event.worker_id() == origin_.worker_id);
  auto after = After::kAnothers;
  if (in_flight_ && in_flight_->kind != Kind::kCompleted && ours && followed == in_flight_->seq) {
    acked(sequence);  // theirs comes after it
    after = After::kKnown;
  } else if (followed == last_followed_ && followed != 0) {
    after = After::kKnown;
  } else if (followed != last_followed_ && owner()) {
    return After::kTaken;
  }
  follow(event, sequence);
  return after;
}

void CallLog::follow(const v1::CallEvent& event, std::uint64_t sequence) {
  put_back();
  park_for_.clear();
  last_sequence_ = sequence;
  last_seq_ = event.seq();
  last_attempt_ = std::max(last_attempt_, event.attempt());
  failures_ = std::max(failures_, event.failures());
  parks_ = std::max(parks_, event.parks());
  last_followed_ = proto::followed_by(event);
  if (!event.approved().empty()) approved_ = event.approved();
  if (event.questions_size() == 0) return;
  questions_.assign(event.questions().begin(), event.questions().end());
  // Another attempt has asked them, as this one learns only now.
  std::erase_if(asked_, [&](const v1::Question& asked) {
    return std::ranges::find(questions_, asked.key(), &v1::Question::key) != questions_.end();
  });
}

}  // namespace toolway::workers::log
