#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "workers/call/worker_context.h"

/// Whether a call may start, by the switches and the policy as they are now.
namespace toolway::workers::call {

/// Why it may not, by the switches; nothing: they let it.
std::optional<Error> switched_off(const v1::CallRequest& request, WorkerContext& context);

/// What the chain of `policy` said about a call, before its arguments were looked at.
struct ChainLook {
  extensions::chain::PolicyInForcePtr policy{};  ///< null: none was in force
  /// Null: there is more to say when the arguments are known, or no policy.
  extensions::chain::VerdictPtr verdict{};
  std::optional<Error> refusal{};  ///< nothing: it may start
};

/// Asks the chain. `tool`: null, it cannot be run here.
ChainLook look_at_chain(const v1::CallRequest& request, const tools::model::RegisteredTool* tool,
                        extensions::chain::PolicyInForcePtr policy, WorkerContext& context);

/// The limits on running calls that it is under.
std::vector<permits::PermitAsked> permits_for(const v1::CallRequest& request,
                                              const tools::model::Spec& spec,
                                              const extensions::chain::PolicyInForce* policy);

}  // namespace toolway::workers::call
