#pragma once

#include <string>
#include <vector>

#include "gateway/calls/call_request.h"
#include "gateway/loop/work_pool.h"
#include "gateway/wire/problem.h"
#include "tools/model/registry.h"

namespace toolway::gateway::calls {

/// What a tool's schema says about a call's arguments.
struct CheckedArguments {
  std::vector<tools::schema::Violation> violations;
  /// That readers are not shown (tools/schema/secret_places.h); what violations say of them is
  /// taken out.
  std::vector<std::string> secret_places;
};

/// Checks a call's arguments against its tool's schema: on this thread when that takes a few
/// milliseconds at most, otherwise on the threads for large documents. Errors: overloaded.
loop::Task<wire::HttpResult<CheckedArguments>> check_arguments(loop::WorkPool& threads,
                                                               tools::model::RegisteredToolPtr tool,
                                                               const CallBody& body);

}  // namespace toolway::gateway::calls
