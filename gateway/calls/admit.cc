#include "gateway/calls/admit.h"

#include "base/try.h"
#include "extensions/chain/judge.h"
#include "tools/matching/arguments_digest.h"

namespace toolway::gateway::calls {
namespace {

using extensions::chain::ChainMetrics;

/// What the chain says, and what the call carries of it. On any thread.
Result<Admitted> judged(const extensions::chain::PolicyInForce& policy, const wire::Caller& caller,
                        const tools::model::Spec& spec, const Json& arguments,
                        ChainMetrics& metrics) {
  auto verdict = extensions::chain::judge(
      {.in_force = policy, .caller = caller, .spec = spec, .arguments = &arguments}, metrics);
  if (verdict.refusal) return fail(std::move(*verdict.refusal));
  Admitted admitted{.admission = {}, .limits = std::move(verdict.limits)};
  auto& admission = admitted.admission;
  admission.set_policy(policy.number);
  for (auto& said : verdict.said) {
    auto& reason = *admission.add_reasons();
    reason.set_extension(std::string(said.extension));
    reason.set_because(std::move(said.because));
  }
  admission.set_arguments_digest(tools::matching::arguments_digest(arguments));
  return admitted;
}

}  // namespace

loop::Task<wire::HttpResult<Admitted>> admit(const AdmitContext& context, const CallBody& body) {
  const tools::model::Spec& spec = context.tool->spec();
  const bool here = !body.arguments.is_null() &&
                    body.arguments_text.size() <= loop::WorkPool::kSmall &&
                    !extensions::looks_at_arguments(*context.policy->policy, spec, context.caller);
  if (here) {
    CO_ASSIGN_OR_RETURN(auto admitted, judged(*context.policy, context.caller, spec, body.arguments,
                                              context.metrics));
    co_return admitted;
  }
  auto work = [policy = context.policy, caller = context.caller, tool = context.tool,
               text = body.arguments_text, &metrics = context.metrics]() -> Result<Admitted> {
    ASSIGN_OR_RETURN(const auto arguments, parse_json(text));
    return judged(*policy, caller, tool->spec(), arguments, metrics);
  };
  CO_ASSIGN_OR_RETURN(auto admitted, co_await context.threads.run<Admitted>(std::move(work)));
  co_return admitted;
}

}  // namespace toolway::gateway::calls
