#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "bus/bus.h"
#include "persistence/store/store_reader.h"
#include "proto/toolway/v1/call.pb.h"
#include "proto/toolway/v1/control.pb.h"

namespace toolway::gateway::calls {

/// A call as far as a cancellation needs it: its ids, labels, submitted_at and attempt. With
/// constructors, since g++ 12 destroys an aggregate twice that is made in an expression with
/// `co_await`.
struct ToCancel {
  /// Of the store.
  explicit ToCancel(persistence::store::RecordedCall recorded_call)
      : call(std::move(recorded_call)) {}
  /// That the store lacks, and the streams have.
  ToCancel(persistence::store::RecordedCall streamed_call, std::optional<WallTime> stored)
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

/// What a cancellation does next. Each kind has one consequence, which is reported with the
/// function named here.
struct CancelStep {
  enum class Kind {
    kReadLog,     ///< ask the leader for the last event of the call: `read`
    kReadWindow,  ///< ask for the state of stream EVENTS: `window`
    kReadOldest,  ///< ask the leader for the message `sequence` of EVENTS, or the next one:
                  ///< `oldest`
    kLookUp,      ///< ask the collectors for the last event of the call: `looked_up`
    kPublish,     ///< publish `publication`: `published`
    kTell,        ///< ask `worker` to look at the call, with `Cancelling::request`: `told`
    kPause,       ///< wait for `delay`: `resumed`
    kDone,        ///< this is what became of it: `cancellation`
    kFailed,      ///< `error`; the request may be in the log, and may be sent again
  };
  Kind kind = Kind::kReadLog;
  std::uint64_t sequence = 0;
  bus::Publication publication{};
  v1::Outcome completes =
      v1::OUTCOME_UNSPECIFIED;  ///< the call ends so once `publication` is stored, if at all
  std::string worker{};
  std::chrono::milliseconds delay{0};
  Cancellation cancellation{};
  std::optional<Error> error{};
};

/// One cancellation of a call: reads the end of the call's log, writes CancelRequested after it,
/// completes a call that no worker runs, and tells the worker of one that runs. What it writes
/// follows what it has read, so other writers are never overwritten: after a refusal it reads
/// again. It ends at its deadline, or with the answer to its last question after that. Pure: handed
/// the time and what the bus and the collectors answer. For one cancellation.
class Cancelling {
 public:
  /// How long a cancellation may take, including telling the worker.
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

  Cancelling(ToCancel wanted, std::string reason, MonotonicTime deadline);

  CancelStep begin(Now now);
  CancelStep read(Result<bus::StoredMessage> last, Now now);
  CancelStep window(Result<bus::StreamState> state, Now now);
  CancelStep oldest(Result<bus::StoredMessage> first, Now now);
  CancelStep looked_up(Result<v1::LookupAnswer> answer, Now now);
  CancelStep published(Result<bus::PubAck> stored, Now now);
  /// `answer`: the text of a ControlAnswer.
  CancelStep told(const Result<std::string>& answer, Now now);
  CancelStep resumed(Now now);

  const persistence::store::RecordedCall& call() const { return wanted_.call; }
  /// Of the call's events; known from `begin` on.
  const std::string& subject() const { return subject_; }
  /// What a worker is told.
  v1::ControlRequest request() const;

 private:
  using Kind = CancelStep::Kind;
  /// The last event of the call, and where it is; 0: not in the stream.
  struct LogEnd {
    std::optional<v1::CallEvent> event{};
    std::uint64_t sequence = 0;
  };
  CancelStep met(Result<LogEnd> end, Now now);
  CancelStep publish(const v1::CallEvent& event, std::uint64_t expected_last) const;
  CancelStep tell(Now now) const;
  CancelStep again(Now now);
  CancelStep after_error(Error error);
  CancelStep ended(v1::Outcome outcome) const;

  const ToCancel wanted_;
  const std::string reason_;
  const MonotonicTime deadline_;
  std::string subject_;
  MonotonicTime asked_{};
  std::string worker_;  ///< that is being told; empty: none yet
  Error last_error_;
};

}  // namespace toolway::gateway::calls
