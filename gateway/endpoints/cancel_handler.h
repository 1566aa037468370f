#pragma once

#include "gateway/calls/cancel.h"
#include "gateway/endpoints/find_call.h"
#include "gateway/wire/asked.h"

namespace toolway::gateway {

/// The call is found by `search`, or in the streams when the store does not answer at once.
Task<Answer<Response>> post_cancel(const CallSearch& search, const StreamSearch& streams,
                                   const CancelContext& cancel, const Asked& asked);

}  // namespace toolway::gateway
