#pragma once

#include "gateway/endpoints/find_call.h"
#include "gateway/loop/drain.h"
#include "gateway/wire/asked.h"

namespace toolway::gateway {

/// Nothing waits for the rest of a result once `drain` has begun.
Task<Answer<Response>> show_result(const CallSearch& search, const Drain& drain,
                                   const Asked& asked);

}  // namespace toolway::gateway
