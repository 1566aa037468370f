#include "gateway/calls/admit.h"

#include <algorithm>
#include <iterator>

#include "base/try.h"
#include "extensions/chain/judge.h"
#include "extensions/redaction/mask.h"
#include "tools/matching/arguments_digest.h"

namespace toolway::gateway::calls {
namespace {

using extensions::chain::ChainMetrics;

/// What the chain says, and what the call carries of it. On any thread.
Result<Admitted> judged(const extensions::chain::PolicyInForcePtr& policy,
                        const wire::Caller& caller, const tools::model::RegisteredTool& tool,
                        const Json& arguments, ChainMetrics& metrics) {
  const auto given =
      policy ? extensions::chain::judge(
                   {.in_force = *policy, .caller = caller, .tool = tool, .arguments = &arguments},
                   metrics)
             : std::make_shared<const extensions::chain::Verdict>(
                   extensions::chain::judge_without_policy(tool.spec()));
  const auto& verdict = *given;
  if (verdict.refusal) return fail(*verdict.refusal);
  Admitted admitted{.hold = verdict.hold,
                    .held_because = verdict.held_because,
                    .arguments_sha256 = tools::matching::arguments_sha256(arguments),
                    .limits = verdict.limits};
  if (!policy) return admitted;
  std::ranges::copy_if(verdict.services, std::back_inserter(admitted.services),
                       &extensions::ServiceAsked::before);
  admitted.secret_places = extensions::redaction::matched_places(*policy->policy, arguments);
  if (!admitted.services.empty()) admitted.roles = extensions::roles_of(*policy->policy, caller);
  v1::Admission arguments_seen;
  arguments_seen.set_arguments_sha256(admitted.arguments_sha256);
  admitted.admission = verdict.admission;
  arguments_seen.AppendToString(&admitted.admission);
  return admitted;
}

/// Arguments in which patterns are looked for on the loop's thread.
constexpr std::size_t kPatternBytesHere = 2 * 1024;

bool looks_at_arguments(const AdmitContext& context, const CallBody& body) {
  if (!context.policy) return false;
  const auto& policy = *context.policy->policy;
  if (!policy.patterns.empty() && body.arguments_text.size() > kPatternBytesHere) return true;
  return extensions::chain::looks_at_arguments(
      {.in_force = *context.policy, .caller = context.caller, .tool = *context.tool});
}

}  // namespace

void hold_call(v1::CallRequest& request, const Admitted& admitted) {
  const auto& asked = *admitted.hold;
  auto& hold = *request.mutable_hold();
  hold.set_because(admitted.held_because);
  hold.mutable_roles()->Assign(asked.roles.begin(), asked.roles.end());
  hold.set_quorum(asked.quorum);
  hold.set_expires_at_us(request.submitted_at_us() +
                         std::chrono::microseconds(asked.expires).count());
  hold.set_requester_may_decide(asked.requester_may_decide);
}

loop::Task<wire::HttpResult<Admitted>> admit(const AdmitContext& context, const CallBody& body) {
  if (!context.policy && !context.tool->spec().requires_approval) co_return Admitted{};
  const bool here = !body.arguments.is_null() &&
                    body.arguments_text.size() <= loop::WorkPool::kSmall &&
                    !looks_at_arguments(context, body);
  if (here) {
    CO_ASSIGN_OR_RETURN(auto admitted, judged(context.policy, context.caller, *context.tool,
                                              body.arguments, context.metrics));
    co_return admitted;
  }
  auto work = [policy = context.policy, caller = context.caller, tool = context.tool,
               text = body.arguments_text, &metrics = context.metrics]() -> Result<Admitted> {
    ASSIGN_OR_RETURN(const auto arguments, parse_json(text));
    return judged(policy, caller, *tool, arguments, metrics);
  };
  CO_ASSIGN_OR_RETURN(auto admitted, co_await context.threads.run<Admitted>(std::move(work)));
  co_return admitted;
}

}  // namespace toolway::gateway::calls
