#pragma once

#include <optional>
#include <string>
#include <vector>

#include "extensions/chain/policy_board.h"
#include "gateway/calls/call_request.h"
#include "gateway/loop/work_pool.h"
#include "gateway/wire/caller.h"
#include "gateway/wire/problem.h"
#include "proto/toolway/v1/call.pb.h"
#include "tools/model/registry.h"

namespace toolway::gateway::calls {

/// A call that the chain of extensions is asked about.
struct AdmitContext {
  extensions::chain::PolicyInForcePtr policy;  ///< null: only its spec is asked
  const wire::Caller& caller;
  const tools::model::RegisteredToolPtr& tool;
  loop::WorkPool& threads;
  extensions::chain::ChainMetrics& metrics;
};

/// What the chain says of a call that it lets in.
struct Admitted {
  std::string admission{};                 ///< of v1::Admission; empty: no policy was in force
  std::optional<extensions::Hold> hold{};  ///< nothing: it need not wait
  std::string held_because{};
  std::string arguments_sha256{};  ///< canonical, 32 bytes; empty while nothing asks for it
  std::vector<extensions::chain::LimitAsked> limits{};
  std::vector<std::string> secret_places{};  ///< of the arguments, that the policy's patterns match
  std::vector<extensions::ServiceAsked> services{};  ///< that must be asked before it is accepted
  std::vector<std::string> roles{};                  ///< of the caller; only for those services
};

/// Makes the call of `request` one that waits for approval.
void hold_call(v1::CallRequest& request, const Admitted& admitted);

/// Asks the chain about a call whose arguments are valid: on this thread when no rule looks at
/// them, otherwise on `threads`. Errors: what an extension refuses with; internal (one failed);
/// overloaded. `context` must last until then.
loop::Task<wire::HttpResult<Admitted>> admit(const AdmitContext& context, const CallBody& body);

}  // namespace toolway::gateway::calls
