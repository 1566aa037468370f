#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/calls/streamed_calls.h"

namespace toolway::gateway {

/// A call as far as a cancellation needs it: its ids, labels, submitted_at and attempt.
struct ToCancel {
  explicit ToCancel(persistence::RecordedCall recorded_call) : call(std::move(recorded_call)) {}
  explicit ToCancel(StreamedCall streamed)
      : call(std::move(streamed.call)), recorded(false), stored_at(streamed.stored_at) {}
  persistence::RecordedCall call;
  bool recorded = true;               ///< whether the store has it
  std::optional<WallTime> stored_at;  ///< when CALLS stored it, if the store lacks it and that is known
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
std::string_view state_name(Cancellation::State state);
std::string_view worker_name(Cancellation::Worker worker);
std::string cancellation_json(const Cancellation& cancellation);

/// How long a cancellation may take, including telling the worker.
inline constexpr std::chrono::seconds kCancelWithin{1};

/// Cancels a call: writes CancelRequested into its log, completes a call that no worker runs, and
/// tells the worker of one that runs. Idempotent; safe from several gateways at once. Errors:
/// bus_unavailable when the bus does not answer before `deadline`: the request may be in the log, and may
/// be sent again; collector_behind when neither the streams nor the collectors can tell how far the call got.
Task<Answer<Cancellation>> cancel_call(Services& services, ToCancel call, std::string reason,
                                       std::chrono::steady_clock::time_point deadline);

/// The same for a call known only by its session and id: its record is read from the
/// store. Errors: as above, unknown_call, store_unavailable.
Task<Answer<Cancellation>> cancel_call(Services& services, SessionKey session, CallId call,
                                       std::string reason);

}  // namespace toolway::gateway
