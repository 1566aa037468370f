#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "proto/toolway/v1/call.pb.h"
#include "workers/log/backlog.h"
#include "workers/log/event_writer.h"

namespace toolway::workers::log {

/// Whether another attempt's call may be run once more.
enum class Rerun { kAllowed, kForbidden };
/// Whether this call had been delivered or published before: then an event of
/// another attempt belongs to an older delivery, and may be taken over.
enum class DeliveryAge { kFirst, kRepeated };

/// The last event of a call, as it was read back.
struct LastEvent {
  std::string payload;
  std::uint64_t sequence = 0;
  v1::CallEvent event;
};

/// What a writer learns from the last event. Each has one consequence.
enum class Conclusion {
  kGoOn,       ///< nothing is in the way: write what comes next
  kStored,     ///< the event in flight is stored: treat it as acknowledged
  kAgain,      ///< neither it nor anything else is stored: publish the same bytes again
  kCancelled,  ///< it is a cancellation: stop, and complete as cancelled
  kTakenOver,  ///< it is of another attempt, this delivery is newer: a new attempt follows it
  kNotAgain,   ///< as kTakenOver, but the tool must not run twice: complete as unknown
  kRetry,      ///< an attempt failed, or was parked and is answered, and this one follows it, once
               ///< `retry_due`
  kFinished,   ///< it is the completion: ack, write nothing
  kLost,       ///< another writer owns the call: write nothing, settle nothing
  kHeld,       ///< it waits for approval, or was denied: complete as rejected
  kVanished,   ///< events that were there have left the window: ask those who recorded them
  kBehind,     ///< it is older than what was stored: delay the call
  kAnswered,  ///< it has answers to what the tool asked: hand them to it, and write what comes next
  kParked,    ///< the call waits for answers without a worker: ack, write nothing
};

/// Whether `last` belongs to an attempt that runs from another publication of the call than the one
/// at `call_sequence` on CALLS, and whose writer may still be alive after being silent for
/// `silent`, by the server's clock: its worker has the call, and will see it to its end. Of one
/// publication only one worker has a delivery that counts.
bool runs_elsewhere(const v1::CallEvent& last, std::uint64_t call_sequence,
                    std::chrono::microseconds silent);

/// The chain of one call as one writer sees it: what it has written, the one event
/// it has in flight, and what it writes next. A pure state machine: it publishes
/// nothing itself and gets the time from its caller. Not thread-safe.
class CallLog {
 public:
  /// What an event in flight was.
  enum class Kind { kStarted, kReport, kAlive, kQuestion, kParked, kRetry, kCompleted };

  struct Publish {
    std::string payload;
    std::uint64_t expected_last = 0;
  };

  CallLog(EventOrigin origin, Rerun rerun, DeliveryAge age,
          TokenBucket::Rate progress = Backlog::kProgressRate)
      : origin_(origin), rerun_(rerun), age_(age), backlog_(progress) {}

  /// The attempt begins; its Started is written at once (kNow), or held back in
  /// the hope that the attempt ends first, so that one event covers both.
  enum class StartEvent { kNow, kHeldBack };
  void start(std::int64_t started_at_us, StartEvent when);
  /// Writes a Started that was held back.
  void release_start() { start_held_ = false; }
  void alive() { alive_due_ = true; }
  /// Reports go in here; they are written merged, in order.
  Backlog& backlog() { return backlog_; }
  const Backlog& backlog() const { return backlog_; }
  /// The tool asks: written after what it has reported so far. What was asked before, in this
  /// attempt or an earlier one, is not asked again. Errors: kInvalidRequest (too many, too large,
  /// or a key that stands for another question).
  Result<void> ask(std::vector<v1::Question> questions);
  /// The attempt is to end, and the call to wait without a worker for answers to the questions
  /// `keys`, which it has asked; none: it is not. Nothing is written when all of them are answered,
  /// or an answer comes first.
  void park(std::vector<std::string> keys) { park_for_ = std::move(keys); }
  /// What this call's tool has asked, in this attempt or before, with the answers that are known.
  const std::vector<v1::Question>& questions() const { return questions_; }
  /// What is written from now on says that it comes from this span, which is sampled.
  void sent_from(TraceContext span) { span_ = std::move(span); }
  /// The one terminal event; later calls are ignored.
  void complete(v1::Completed completed);
  /// The attempt failed and another one follows: its last event, in place of a completion.
  void fail_for_now(v1::RetryAt retry);
  /// Replaces a completion, or a RetryAt, that is not stored by another completion.
  void replace_completion(v1::Completed completed);
  /// Leaves out the report in flight, which is not stored; it is counted as dropped.
  void drop_report();
  /// Undoes the attempt: takes back a start that is not stored, and its reports.
  void never_started();

  /// The next event to publish, if there is one now. It stays in flight until
  /// `acked`, or until `met` draws a conclusion from it.
  std::optional<Publish> next(WallTime wall, MonotonicTime now);
  /// The event in flight once more, byte for byte: after a publication whose fate is unknown.
  Publish again() const;
  /// The event in flight is stored. Returns what it was.
  Kind acked(std::uint64_t sequence);
  /// The last event, read after a refusal, or before anything was written.
  Conclusion met(const std::optional<LastEvent>& last);
  /// The last event as the collectors have it (its sequence means nothing), when the stream
  /// no longer holds any of the call's. The chain then continues from an empty subject.
  Conclusion met_recorded(const LastEvent& last);

  bool in_flight() const { return in_flight_.has_value(); }
  /// What is in flight. Only while something is.
  Kind in_flight_kind() const { return in_flight_->kind; }
  bool start_stored() const { return start_stored_; }
  bool completing() const { return completed_.has_value(); }
  /// Nothing but last words, a completion or a RetryAt is still to come.
  bool ending() const { return completed_ || retry_; }
  bool finished() const { return finished_; }
  bool wrote() const { return wrote_; }
  /// The next event must be the first of its subject.
  bool follows_nothing() const { return last_sequence_ == 0; }
  /// `seq` of the last event that it knows, 0: none.
  std::uint32_t last_seq() const { return last_seq_; }
  std::uint64_t call_sequence() const { return origin_.call_sequence; }
  /// Number of the attempt that is being, or will be, written.
  std::uint32_t attempt() const { return attempt_; }
  /// Attempts before this one that failed, and those that broke off.
  std::uint32_t failures() const { return failures_; }
  std::uint32_t broken() const { return attempt_ - 1 - std::min(attempt_ - 1, failures_ + parks_); }
  /// Of a held call: the digest of what was approved, as its log has it; empty: nothing was.
  const std::string& approved() const { return approved_; }
  /// Not before this time (Unix, µs) may the attempt that follows begin; after kRetry and after a
  /// RetryAt was stored. 0: now.
  std::int64_t retry_due_us() const { return retry_due_us_; }
  /// The outcome that is, or will be, written; only while completing.
  v1::Outcome outcome() const { return completed_->outcome(); }
  /// When `next` may have a report whose rate forbids it at `now`.
  MonotonicTime report_ready_at(MonotonicTime now);

 private:
  struct InFlight {
    std::string payload;
    Kind kind;
    std::uint32_t seq;
    std::optional<Backlog::Entry> report{};
    std::size_t asked = 0;  ///< the first ones of `asked_`
  };

  bool merges_start() const;
  /// No one else may write, unless the call was taken from us.
  bool owner() const { return wrote_ || age_ == DeliveryAge::kFirst; }
  Conclusion conclude(const v1::CallEvent& event, std::uint64_t sequence);
  /// Whose event a gateway's comes after: the last one that is known here, or one of another
  /// worker, which has the call, or has taken it from us.
  enum class After { kKnown, kAnothers, kTaken };
  After meet_gateways(const v1::CallEvent& event, std::uint64_t sequence);
  Conclusion follow_attempt();
  Conclusion follow_parked(const v1::CallEvent& event, std::uint64_t sequence);
  void follow(const v1::CallEvent& event, std::uint64_t sequence);
  void put_back();
  Publish launch(std::string payload, Kind kind, std::uint32_t seq);
  Publish launch_question(WallTime wall);
  bool waits_without_answers() const;
  std::optional<Publish> next_report(WallTime wall, MonotonicTime now);
  EventPlace place(std::uint32_t seq, WallTime wall) const {
    return {attempt_, seq, wall, failures_, parks_, approved_, questions_, &span_};
  }

  const EventOrigin origin_;
  const Rerun rerun_;
  DeliveryAge age_;
  TraceContext span_;

  // Where the chain ends, as far as this writer knows.
  std::uint64_t last_sequence_ = 0;
  std::uint32_t last_seq_ = 0;
  std::uint32_t last_followed_ = 0;  ///< proto::followed_by of the last event
  std::uint32_t attempt_ = 1;
  std::uint32_t last_attempt_ = 0;  ///< of the last event, 0: none
  bool wrote_ = false;              ///< an event of this attempt is stored
  std::uint32_t failures_ = 0;
  std::uint32_t parks_ = 0;
  std::int64_t retry_due_us_ = 0;
  std::string approved_;
  std::vector<v1::Question> questions_;
  std::vector<v1::Question> asked_;    ///< that are not stored yet
  std::vector<std::string> park_for_;  ///< the questions to park it for; empty: it is not parked

  std::optional<std::int64_t> started_at_us_;
  bool start_held_ = false;
  bool start_stored_ = false;
  bool alive_due_ = false;
  bool finished_ = false;
  bool told_dropped_ = false;
  Backlog backlog_;
  std::optional<v1::Completed> completed_;
  std::optional<v1::RetryAt> retry_;
  std::optional<InFlight> in_flight_;
};

}  // namespace toolway::workers::log
