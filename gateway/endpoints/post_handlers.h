#pragma once

#include "gateway/calls/refusals.h"
#include "gateway/calls/run_calls.h"
#include "gateway/sessions/sessions.h"

namespace toolway::gateway::endpoints {

/// What accepting calls needs.
struct PostContext {
  sessions::Sessions& sessions;
  const calls::PlanContext& plan;
  const calls::RunContext& run;
  calls::CallCounters& counters;
  calls::Refusals& refusals;
  std::size_t max_arguments_bytes = 0;  ///< of one call
};

/// Of one call among several, whose request as a whole was answered.
inline void count_refusal(const PostContext& context, const wire::Caller& caller,
                          const wire::Problem& problem) {
  context.counters.refused(problem.error.code);
  context.refusals.note(caller, problem.error.code);
}

loop::Task<wire::HttpResult<wire::Response>> post_call(const PostContext& context,
                                                       const wire::RoutedRequest& routed);
loop::Task<wire::HttpResult<wire::Response>> post_batch(const PostContext& context,
                                                        const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
