#include "gateway/calls/admit.h"

#include <algorithm>
#include <iterator>

#include "base/try.h"
#include "extensions/chain/judge.h"
#include "extensions/redaction/mask.h"
#include "tools/matching/arguments_digest.h"

namespace toolway::gateway::calls {
namespace {

using extensions::chain::Verdict;
using extensions::chain::VerdictPtr;

VerdictPtr judged_without_policy(const tools::model::RegisteredTool& tool) {
  return std::make_shared<const Verdict>(extensions::chain::judge_without_policy(tool.spec()));
}

/// What a call carries of what the chain said about it. On any thread.
Result<Admitted> admitted_by(const Verdict& verdict,
                             const extensions::chain::PolicyInForcePtr& policy,
                             const wire::Caller& caller, const Json& arguments) {
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

/// What the chain says, on the loop's thread. Null: the arguments' size would keep it from others.
VerdictPtr judged_here(const AdmitContext& context, const CallBody& body) {
  const auto bytes = body.arguments_text.size();
  if (body.arguments.is_null() || bytes > loop::WorkPool::kSmall) return nullptr;
  if (!context.policy) return judged_without_policy(*context.tool);
  if (!context.policy->policy->patterns.empty() && bytes > kPatternBytesHere) return nullptr;
  return extensions::chain::judge_at_once({.in_force = *context.policy,
                                           .caller = context.caller,
                                           .tool = *context.tool,
                                           .arguments = &body.arguments},
                                          context.metrics);
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
  if (const auto verdict = judged_here(context, body)) {
    CO_ASSIGN_OR_RETURN(auto admitted,
                        admitted_by(*verdict, context.policy, context.caller, body.arguments));
    co_return admitted;
  }
  auto work = [policy = context.policy, caller = context.caller, tool = context.tool,
               text = body.arguments_text, &metrics = context.metrics]() -> Result<Admitted> {
    ASSIGN_OR_RETURN(const auto arguments, parse_json(text));
    const auto verdict =
        policy
            ? extensions::chain::judge(
                  {.in_force = *policy, .caller = caller, .tool = *tool, .arguments = &arguments},
                  metrics)
            : judged_without_policy(*tool);
    return admitted_by(*verdict, policy, caller, arguments);
  };
  CO_ASSIGN_OR_RETURN(auto admitted, co_await context.threads.run<Admitted>(std::move(work)));
  co_return admitted;
}

}  // namespace toolway::gateway::calls
