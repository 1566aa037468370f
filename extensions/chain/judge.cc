#include "extensions/chain/judge.h"

#include <fmt/format.h>

#include "extensions/builtin/approval.h"

namespace toolway::extensions::chain {
namespace {

bool is_same(const tools::model::Execution& a, const tools::model::Execution& b) {
  if (a.has_value() != b.has_value()) return false;
  if (a) return *a == *b;
  return a.error().code == b.error().code && a.error().message == b.error().message &&
         a.error().details == b.error().details;
}

}  // namespace

Verdict judge(const Judged& call, ChainMetrics& metrics) {
  const auto rules = rules_about(*call.in_force.policy, call.spec, call.caller, call.arguments);
  return call.in_force.chain.before({.caller = call.caller, .spec = call.spec, .rules = rules},
                                    metrics);
}

Verdict judge_without_policy(const tools::model::Spec& spec) {
  if (!spec.requires_approval) return {};
  return {.hold = Hold{}, .held_because = std::string(builtin::kRequiresApproval)};
}

JudgedResult judge_result(const Judged& call, const tools::model::RegisteredTool& tool,
                          tools::model::Execution result, ChainMetrics& metrics) {
  const auto rules = rules_about(*call.in_force.policy, call.spec, call.caller, call.arguments);
  // No extension changes what no rule names.
  if (rules.empty()) return {std::move(result)};
  auto made = call.in_force.chain.after({.caller = call.caller, .spec = call.spec, .rules = rules},
                                        result, metrics);
  if (is_same(made, result)) return {std::move(result)};
  if (made && tool.output) {
    if (const auto wrong = tool.output->validate(*made); !wrong.empty())
      made = tl::unexpected(tools::model::ToolError(Error{
          ErrorCode::kInvalidResult,
          fmt::format("the chain of extensions changed the result so that it no longer fits the "
                      "tool's output schema: {}",
                      tools::schema::describe(wrong))}));
  }
  return {std::move(made), true};
}

}  // namespace toolway::extensions::chain
