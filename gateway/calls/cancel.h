#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "gateway/calls/call_counters.h"
#include "gateway/calls/edit_log.h"
#include "gateway/calls/log_edit.h"
#include "gateway/calls/streamed_calls.h"
#include "gateway/loop/async_store.h"

namespace toolway::gateway::calls {

/// Cancels a call of this caller.
using CancelCall = std::function<loop::Task<wire::HttpResult<Cancellation>>(
    const wire::Caller& caller, std::string call_id, std::string reason)>;

/// A call that the streams show, to be cancelled.
KnownCall to_cancel(StreamedCall streamed);

std::string_view state_name(Cancellation::State state);
std::string_view worker_name(Cancellation::Worker worker);
std::string cancellation_json(const Cancellation& cancellation);

/// Cancels a call as `LogEdit` decides. Idempotent; safe from several gateways at once. Errors:
/// bus_unavailable when the bus does not answer before `deadline`: the request may be in the log,
/// and may be sent again; collector_behind when neither the streams nor the collectors can tell how
/// far the call got.
loop::Task<wire::HttpResult<Cancellation>> cancel_call(const CancelContext& context, KnownCall call,
                                                       std::string reason, MonotonicTime deadline);

/// The same for a call known only by its session and id: its record is read from the
/// store. Errors: as above, unknown_call, store_unavailable.
loop::Task<wire::HttpResult<Cancellation>> cancel_call(const CancelContext& context,
                                                       SessionKey session, CallId call,
                                                       std::string reason);

}  // namespace toolway::gateway::calls
