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

Verdict asked(const Judged& call, ChainMetrics& metrics) {
  const auto& spec = call.tool.spec();
  const auto rules = rules_about(*call.in_force.policy, spec, call.caller, call.arguments);
  auto verdict =
      call.in_force.chain.before({.caller = call.caller, .spec = spec, .rules = rules}, metrics);
  verdict.admission = admission_by(call.in_force.number, verdict);
  return verdict;
}

/// For calls like this one, as long as the policy is in force; what failed is tried again.
std::shared_ptr<const KnownVerdict> shared(const Judged& call, const std::string& key,
                                           KnownVerdict made) {
  auto known = std::make_shared<const KnownVerdict>(std::move(made));
  if (known->verdict.certain) call.in_force.known->put(key, known);
  return known;
}

}  // namespace

EarlyVerdict judge_early(const Judged& call, ChainMetrics& metrics) {
  const Judged unseen{call.in_force, call.caller, call.tool};
  const auto key = KnownVerdicts::key_of(call.tool, call.caller);
  auto known = call.in_force.known->find(key);
  if (!known) {
    known = shared(call, key, {asked(unseen, metrics), rules_look_at_arguments(call)});
  }
  const bool last = !known->looks_at_arguments || known->verdict.refusal;
  if (last) count(known->verdict, metrics);
  return {{known, &known->verdict}, last};
}

VerdictPtr judge_at_once(const Judged& call, ChainMetrics& metrics) {
  const auto key = KnownVerdicts::key_of(call.tool, call.caller);
  auto known = call.in_force.known->find(key);
  const bool looks = known ? known->looks_at_arguments : rules_look_at_arguments(call);
  if (looks && call.arguments != nullptr) return nullptr;
  if (!known) {
    known = shared(call, key, {asked(call, metrics), looks});
  }
  count(known->verdict, metrics);
  return {known, &known->verdict};
}

VerdictPtr judge(const Judged& call, ChainMetrics& metrics) {
  if (auto at_once = judge_at_once(call, metrics)) return at_once;
  auto verdict = std::make_shared<const Verdict>(asked(call, metrics));
  count(*verdict, metrics);
  return verdict;
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
