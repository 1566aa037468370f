#pragma once

#include <string_view>

#include "gateway/loop/async_bus.h"
#include "gateway/loop/async_store.h"
#include "gateway/mailbox/recorded.h"
#include "gateway/wire/caller.h"
#include "gateway/wire/memory_budget.h"

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

/// Counts a call, and its text, while it is held. Errors: overloaded.
wire::HttpResult<wire::MemoryBudget::Share> hold_call(wire::MemoryBudget& memory,
                                                      const persistence::store::RecordedCall& call);

/// What is recorded, brought up to date by the call's last event when it is not final.
loop::Task<void> bring_up_to_date(loop::AsyncBus& bus, persistence::store::RecordedCall& call);

}  // namespace toolway::gateway::endpoints
