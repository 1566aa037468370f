#include "workers/call/may_start.h"

#include <utility>

#include "extensions/builtin/limits.h"
#include "extensions/chain/judge.h"
#include "extensions/limits/bucket_key.h"
#include "extensions/principal_message.h"
#include "proto/switches.h"
#include "workers/call/refused.h"

namespace toolway::workers::call {

std::optional<Error> switched_off(const v1::CallRequest& request, WorkerContext& context) {
  const auto switches = context.switches->now();
  const auto& labels = request.labels();
  const auto* off = switches->off(labels.namespace_(), labels.tool());
  if (off == nullptr) return std::nullopt;
  return Error{ErrorCode::kToolDisabled,
               proto::switched_off(labels.namespace_(), labels.tool(), *off)};
}

ChainLook look_at_chain(const v1::CallRequest& request, const tools::model::RegisteredTool* tool,
                        extensions::chain::PolicyInForcePtr policy, WorkerContext& context) {
  ChainLook look{.policy = std::move(policy)};
  if (tool == nullptr) return look;
  if (look.policy == nullptr) {
    look.refusal = refused(request, extensions::chain::judge_without_policy(tool->spec()));
    return look;
  }
  const auto caller = extensions::principal_of(request);
  // What rules say of arguments is decided on the tool's thread: it takes time by their size.
  auto early = extensions::chain::judge_early(
      {.in_force = *look.policy, .caller = caller, .tool = *tool}, context.chain_metrics);
  look.refusal = refused(request, *early.verdict);
  if (early.last) look.verdict = std::move(early.verdict);
  return look;
}

std::vector<permits::PermitAsked> permits_for(const v1::CallRequest& request,
                                              const tools::model::Spec& spec,
                                              const extensions::chain::PolicyInForce* policy) {
  std::vector<permits::PermitAsked> asked;
  // Most policies have none, and then it is not asked who calls.
  if (policy == nullptr || !extensions::builtin::has_running_limits(*policy->policy)) return asked;
  for (const auto& limit : extensions::builtin::running_limits(*policy->policy, spec,
                                                               extensions::principal_of(request)))
    asked.push_back({limit.name, extensions::limits::bucket_key(limit, request), limit.most});
  return asked;
}

}  // namespace toolway::workers::call
