#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "persistence/store/store_reader.h"
#include "proto/toolway/v1/call.pb.h"

/// What a cancellation does, decided from the call's last event alone.
namespace toolway::gateway {

enum class CancelStep {
  kRequest,   ///< write CancelRequested behind the last event
  kComplete,  ///< it stands there and nobody runs the call: write the completion behind it
  kTell,      ///< it stands there and a worker runs the call: tell that worker
  kDone,      ///< the call has ended
};

/// `last`: the call's last event; nothing when there is none.
CancelStep next_cancel_step(const std::optional<v1::CallEvent>& last);

/// The CancelRequested that follows `last`. It keeps the worker that runs the call, so that
/// whoever meets it knows whom to tell; no worker: nobody runs it.
v1::CallEvent cancel_request(const persistence::RecordedCall& call,
                             const std::optional<v1::CallEvent>& last, std::string_view reason,
                             WallTime now);

/// The completion of a call that nobody runs, behind its CancelRequested.
v1::CallEvent cancelled_completion(const v1::CallEvent& request, WallTime now);

}  // namespace toolway::gateway
