#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/calls/log_edit.h"
#include "gateway/calls/streamed_calls.h"
#include "gateway/loop/async_bus.h"
#include "gateway/loop/async_store.h"
#include "gateway/mailbox/recorded.h"
#include "gateway/wire/memory_budget.h"
#include "gateway/wire/routed_request.h"

namespace toolway::gateway::endpoints {

/// Where a caller's calls are found.
struct CallSearch {
  loop::AsyncBus& bus;
  loop::AsyncStore& store;
  const mailbox::RecordWatch& recorded;
  wire::MemoryBudget& memory;
  const Clock& clock;
};

/// A call of this caller as far as it is recorded; waits for one that is not. Errors: unknown_call
/// only when everything accepted so far is recorded, otherwise collector_behind.
loop::Task<wire::HttpResult<persistence::store::RecordedCall>> find_call(const CallSearch& search,
                                                                         const wire::Caller& caller,
                                                                         std::string_view id);

/// The same of the call that a request names. One in the name of a turn finds those of the turn's
/// session alone.
loop::Task<wire::HttpResult<persistence::store::RecordedCall>> find_named_call(
    const CallSearch& search, const wire::RoutedRequest& routed);

/// Errors: unknown_call, for a turn of another session than the call's. `acting`: null for the
/// caller itself. Pure.
wire::HttpResult<void> check_session(const wire::Acting* acting,
                                     const persistence::store::RecordedCall& call);

/// Counts a call, and its text, while it is held. Errors: overloaded.
wire::HttpResult<wire::MemoryBudget::Share> hold_call(wire::MemoryBudget& memory,
                                                      const persistence::store::RecordedCall& call);

/// The last event of a call. Errors: not_found, also when it has left the stream, and the bus's.
loop::Task<Result<v1::CallEvent>> last_event(loop::AsyncBus& bus, std::string session_key,
                                             std::string call_id);

/// What is recorded, brought up to date by the call's last event when it is not final: that event;
/// nothing when there is none, or the bus does not answer.
loop::Task<std::optional<v1::CallEvent>> bring_up_to_date(loop::AsyncBus& bus,
                                                          persistence::store::RecordedCall& call);

/// A call whose log will be changed. The store is asked first, and the streams when it does not
/// answer at once: neither an outage of Postgres nor of the collectors keeps a call from being
/// cancelled or answered. Errors: unknown_call, collector_behind.
loop::Task<wire::HttpResult<calls::KnownCall>> find_to_change(const CallSearch& search,
                                                              const calls::StreamSearch& streams,
                                                              const wire::Caller& caller,
                                                              const std::string& id,
                                                              MonotonicTime deadline);

}  // namespace toolway::gateway::endpoints
