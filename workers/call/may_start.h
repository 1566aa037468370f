#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "workers/call/worker_context.h"

/// Whether a call may start, by the switches and the policy as they are now.
namespace toolway::workers::call {

/// Why it may not; nothing: it may, as far as this tells. `tool`: null, it cannot be run here.
std::optional<Error> refusal_of(const v1::CallRequest& request,
                                const tools::model::RegisteredTool* tool,
                                const extensions::chain::PolicyInForce* policy,
                                WorkerContext& context);

/// The limits on running calls that it is under.
std::vector<permits::PermitAsked> permits_for(const v1::CallRequest& request,
                                              const tools::model::Spec& spec,
                                              const extensions::chain::PolicyInForce* policy);

}  // namespace toolway::workers::call
