#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "bus/bus.h"
#include "persistence/store/store_reader.h"
#include "proto/toolway/v1/call.pb.h"
#include "proto/toolway/v1/control.pb.h"

namespace toolway::gateway::calls {

/// A call as far as a change of its log needs it: its ids, labels, submitted_at and attempt. With
/// constructors, since g++ 12 destroys an aggregate twice that is made in an expression with
/// `co_await`.
struct KnownCall {
  /// Of the store.
  explicit KnownCall(persistence::store::RecordedCall recorded_call)
      : call(std::move(recorded_call)) {}
  /// That the store lacks, and the streams have.
  KnownCall(persistence::store::RecordedCall streamed_call, std::optional<WallTime> stored)
      : call(std::move(streamed_call)), recorded(false), stored_at(stored) {}
  persistence::store::RecordedCall call;
  bool recorded = true;  ///< whether the store has it
  std::optional<WallTime>
      stored_at;  ///< when CALLS stored it, if the store lacks it and that is known
};

/// What became of a cancellation.
struct Cancellation {
  enum class State {
    kCancelled,   ///< the call has ended, cancelled
    kCancelling,  ///< its worker must end it
    kCompleted,   ///< it had already ended in another way
  };
  enum class Worker {
    kNone,        ///< no worker runs it
    kTold,        ///< it has the call, and will look at it
    kNotHeld,     ///< it answered, and does not have the call, or no longer
    kNotReached,  ///< it did not answer: the worker that takes over the call obeys
  };
  std::string call_id;
  State state = State::kCancelling;
  Worker worker = Worker::kNone;
  v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;  ///< unless it is being cancelled
};

/// What a change of a call's log does next. Each kind has one consequence, which is reported with
/// the function named here.
struct LogEditStep {
  enum class Kind {
    kReadLog,     ///< ask the leader for the last event of the call: `read`
    kReadWindow,  ///< ask for the state of stream EVENTS: `window`
    kReadOldest,  ///< ask the leader for the message `sequence` of EVENTS, or the next one:
                  ///< `oldest`
    kLookUp,      ///< ask the collectors for the last event of the call: `looked_up`
    kPublish,     ///< publish `publication`: `published`
    kTell,        ///< ask `worker` to look at the call, with `LogEdit::request`: `told`
    kPause,       ///< wait for `delay`: `resumed`
    kDone,        ///< this is what became of it: `last`, and for a cancellation `cancellation`
    kFailed,      ///< `error`; the request may be in the log, and may be sent again
  };
  Kind kind = Kind::kReadLog;
  std::uint64_t sequence = 0;
  bus::Publication publication{};
  v1::Outcome completes =
      v1::OUTCOME_UNSPECIFIED;  ///< the call ends so once `publication` is stored, if at all
  std::string worker{};
  std::chrono::milliseconds delay{0};
  std::optional<v1::CallEvent> last{};
  Cancellation cancellation{};
  std::optional<Error> error{};
};

/// What follows from the end of a call's log.
struct LogPlan {
  enum class Kind {
    kWrite,   ///< `event`, after it; then the log is read again
    kTell,    ///< its worker
    kDone,    ///< nothing more
    kRefuse,  ///< nothing: `refusal` says why
  };
  Kind kind = Kind::kDone;
  v1::CallEvent event{};
  std::optional<Error> refusal{};
};
/// The end of a call's log, as a planner sees it.
struct LogView {
  const std::optional<v1::CallEvent>& last;  ///< nothing when the log is empty
  WallTime now;
  /// Whether something that was planned before may be in the log; false: it surely is not.
  bool may_have_written = false;
};
/// Pure, except what it remembers of what it has planned.
using LogPlanner = std::function<LogPlan(const LogView& log)>;

/// One change at the end of a call's log, a cancellation or a decision: reads the end, and does
/// what the planner says follows from it, until that is done. What it writes follows what it has
/// read, so other writers are never overwritten: after a refusal it reads again. It ends at its
/// deadline, or with the answer to its last question after that. Pure: handed the time and what the
/// bus and the collectors answer. For one change.
class LogEdit {
 public:
  /// How long a change may take, including telling the worker.
  static constexpr std::chrono::seconds kTimeLimit{1};
  /// Before the log is read again, after an error.
  static constexpr std::chrono::milliseconds kRetryDelay{20};
  /// Before a worker that did not answer is told again.
  static constexpr std::chrono::milliseconds kTellRetryDelay{100};
  /// For how long the end of a log counts as read. A gateway that slept reads it again: what came
  /// since may have left the stream by now, and then a write that expects nothing before it is not
  /// refused.
  static constexpr std::chrono::seconds kEndHolds{10};

  struct Now {
    MonotonicTime monotonic;
    WallTime wall;
  };

  LogEdit(KnownCall wanted, LogPlanner plan, MonotonicTime deadline);

  LogEditStep begin(Now now);
  LogEditStep read(Result<bus::StoredMessage> last, Now now);
  LogEditStep window(Result<bus::StreamState> state, Now now);
  LogEditStep oldest(Result<bus::StoredMessage> first, Now now);
  LogEditStep looked_up(Result<v1::LookupAnswer> answer, Now now);
  LogEditStep published(Result<bus::PubAck> stored, Now now);
  /// `answer`: the text of a ControlAnswer.
  LogEditStep told(const Result<std::string>& answer, Now now);
  LogEditStep resumed(Now now);

  const persistence::store::RecordedCall& call() const { return wanted_.call; }
  /// Of the call's events; known from `begin` on.
  const std::string& subject() const { return subject_; }
  /// What a worker is told.
  v1::ControlRequest request() const;

 private:
  using Kind = LogEditStep::Kind;
  /// The last event of the call, and where it is; 0: not in the stream.
  struct LogEnd {
    std::optional<v1::CallEvent> event{};
    std::uint64_t sequence = 0;
  };
  LogEditStep met(Result<LogEnd> end, Now now);
  LogEditStep act(std::optional<v1::CallEvent> last, std::uint64_t sequence, Now now);
  LogEditStep publish(const v1::CallEvent& event, std::uint64_t expected_last) const;
  LogEditStep tell(Now now) const;
  LogEditStep again(Now now);
  LogEditStep after_error(Error error);
  LogEditStep ended(std::optional<v1::CallEvent> last) const;

  const KnownCall wanted_;
  const LogPlanner plan_;
  const MonotonicTime deadline_;
  std::string subject_;
  MonotonicTime asked_{};
  std::string worker_;                 ///< that is being told; empty: none yet
  std::optional<v1::CallEvent> last_;  ///< what it is told of
  bool may_have_written_ = false;
  Error last_error_;
};

}  // namespace toolway::gateway::calls
