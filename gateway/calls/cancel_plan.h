#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "gateway/calls/log_edit.h"
#include "persistence/store/store_reader.h"
#include "proto/toolway/v1/call.pb.h"

/// What a cancellation does, decided from the call's last event alone.
namespace toolway::gateway::calls {

enum class CancelPlan {
  kRequest,   ///< write CancelRequested after the last event
  kComplete,  ///< it is there and no worker runs the call: write the completion after it
  kTell,      ///< it is there and a worker runs the call: tell that worker
  kDone,      ///< the call has ended
};

/// `last`: the call's last event; nothing when there is none.
CancelPlan plan_cancel(const std::optional<v1::CallEvent>& last);

/// One cancellation of a call.
LogEdit cancelling(KnownCall call, std::string reason, MonotonicTime deadline);

/// The CancelRequested that follows `last`. It names the worker that runs the call, so that
/// every reader knows which one to tell; none: no worker runs it.
v1::CallEvent cancel_request(const persistence::store::RecordedCall& call,
                             const std::optional<v1::CallEvent>& last, std::string_view reason,
                             WallTime now);

/// The completion of a call that no worker runs, after its CancelRequested.
v1::CallEvent cancelled_completion(const v1::CallEvent& request, WallTime now);

}  // namespace toolway::gateway::calls
