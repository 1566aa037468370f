#pragma once

#include <vector>

#include "gateway/calls/call_request.h"
#include "gateway/loop/work_pool.h"
#include "gateway/wire/problem.h"
#include "tools/model/registry.h"

namespace toolway::gateway::calls {

/// Checks a call's arguments against its tool's schema: on this thread when that takes a few
/// milliseconds at most, otherwise on the threads for large documents. Errors: overloaded.
loop::Task<wire::HttpResult<std::vector<tools::schema::Violation>>> check_arguments(
    loop::WorkPool& threads, tools::model::RegisteredToolPtr tool, const CallBody& body);

}  // namespace toolway::gateway::calls
