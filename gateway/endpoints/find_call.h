#pragma once

#include <string_view>

#include "gateway/loop/async_bus.h"
#include "gateway/loop/async_store.h"
#include "gateway/mailbox/recorded.h"
#include "gateway/wire/caller.h"

namespace toolway::gateway {

/// Where a caller's calls are found.
struct CallSearch {
  AsyncBus& bus;
  AsyncStore& store;
  const RecordWatch& recorded;
};

/// A call of this caller as far as it is recorded; waits for one that is not. Errors: unknown_call
/// only when everything accepted so far is recorded, otherwise collector_behind.
Task<Answer<persistence::RecordedCall>> find_call(const CallSearch& search, const Caller& caller,
                                                  std::string_view id);

/// What is recorded, brought up to date by the call's last event when it is not final.
Task<void> bring_up_to_date(AsyncBus& bus, persistence::RecordedCall& call);

}  // namespace toolway::gateway
