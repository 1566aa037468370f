#pragma once

#include "gateway/calls/run_calls.h"
#include "gateway/sessions/sessions.h"

namespace toolway::gateway::endpoints {

/// What accepting calls needs.
struct PostContext {
  sessions::Sessions& sessions;
  const calls::PlanContext& plan;
  const calls::RunContext& run;
  calls::CallCounters& counters;
  std::size_t max_arguments_bytes = 0;  ///< of one call
};

loop::Task<wire::HttpResult<wire::Response>> post_call(const PostContext& context,
                                                       const wire::RoutedRequest& routed);
loop::Task<wire::HttpResult<wire::Response>> post_batch(const PostContext& context,
                                                        const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
