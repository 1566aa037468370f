#include "extensions/chain/judge.h"

#include <fmt/format.h>

#include "extensions/builtin/approval.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::extensions::chain {
namespace {

bool is_same(const tools::model::Execution& a, const tools::model::Execution& b) {
  if (a.has_value() != b.has_value()) return false;
  if (a) return *a == *b;
  return a.error().code == b.error().code && a.error().message == b.error().message &&
         a.error().details == b.error().details;
}

bool rules_look_at_arguments(const Judged& call) {
  return extensions::looks_at_arguments(*call.in_force.policy, call.tool.spec(), call.caller);
}

std::string admission_by(std::uint64_t policy, const Verdict& verdict) {
  v1::Admission admission;
  admission.set_policy(policy);
  for (const auto& said : verdict.said) {
    auto& reason = *admission.add_reasons();
    reason.set_extension(std::string(said.extension));
    reason.set_because(said.because);
  }
  return admission.SerializeAsString();
}

}  // namespace

bool looks_at_arguments(const Judged& call) {
  const auto known = call.in_force.known->find(KnownVerdicts::key_of(call.tool, call.caller));
  return known ? known->looks_at_arguments : rules_look_at_arguments(call);
}

VerdictPtr judge(const Judged& call, ChainMetrics& metrics) {
  const auto key = KnownVerdicts::key_of(call.tool, call.caller);
  const auto known = call.in_force.known->find(key);
  if (known && (call.arguments == nullptr || !known->looks_at_arguments)) {
    count(known->verdict, metrics);
    return {known, &known->verdict};
  }
  const auto& spec = call.tool.spec();
  const auto rules = rules_about(*call.in_force.policy, spec, call.caller, call.arguments);
  const auto made = std::make_shared<KnownVerdict>();
  made->verdict =
      call.in_force.chain.before({.caller = call.caller, .spec = spec, .rules = rules}, metrics);
  made->verdict.admission = admission_by(call.in_force.number, made->verdict);
  made->looks_at_arguments = rules_look_at_arguments(call);
  if (made->verdict.certain && (call.arguments == nullptr || !made->looks_at_arguments))
    call.in_force.known->put(key, made);
  count(made->verdict, metrics);
  return {made, &made->verdict};
}

Verdict judge_without_policy(const tools::model::Spec& spec) {
  if (!spec.requires_approval) return {};
  return {.hold = Hold{}, .held_because = std::string(builtin::kRequiresApproval)};
}

JudgedResult judge_result(const Judged& call, tools::model::Execution result,
                          ChainMetrics& metrics) {
  const auto& spec = call.tool.spec();
  const auto rules = rules_about(*call.in_force.policy, spec, call.caller, call.arguments);
  // No extension changes what no rule names.
  if (rules.empty()) return {std::move(result)};
  auto made = call.in_force.chain.after({.caller = call.caller, .spec = spec, .rules = rules},
                                        result, metrics);
  if (is_same(made, result)) return {std::move(result)};
  if (made && call.tool.output) {
    if (const auto wrong = call.tool.output->validate(*made); !wrong.empty())
      made = tl::unexpected(tools::model::ToolError(Error{
          ErrorCode::kInvalidResult,
          fmt::format("the chain of extensions changed the result so that it no longer fits the "
                      "tool's output schema: {}",
                      tools::schema::describe(wrong))}));
  }
  return {std::move(made), true};
}

}  // namespace toolway::extensions::chain
