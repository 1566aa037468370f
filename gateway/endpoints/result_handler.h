#pragma once

#include "gateway/endpoints/find_call.h"
#include "gateway/loop/drain.h"
#include "gateway/wire/routed_request.h"

namespace toolway::gateway::endpoints {

/// Nothing waits for the rest of a result once `drain` has begun.
loop::Task<wire::HttpResult<wire::Response>> show_result(const CallSearch& search,
                                                         const loop::Drain& drain,
                                                         const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
