#pragma once

#include "gateway/calls/run_calls.h"
#include "gateway/sessions/sessions.h"

namespace toolway::gateway {

/// What accepting calls needs.
struct PostContext {
  Sessions& sessions;
  const PlanContext& plan;
  const RunContext& run;
  CallCounters& counters;
  std::size_t max_arguments_bytes = 0;  ///< of one call
};

Task<Answer<Response>> post_call(const PostContext& context, const Asked& asked);
Task<Answer<Response>> post_batch(const PostContext& context, const Asked& asked);

}  // namespace toolway::gateway
