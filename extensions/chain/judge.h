#pragma once

#include "extensions/chain/policy_board.h"
#include "tools/model/registry.h"

namespace toolway::extensions::chain {

/// The call that a chain is asked about. What it refers to lasts as long as the decision.
struct Judged {
  const PolicyInForce& in_force;
  const Principal& caller;
  const tools::model::RegisteredTool& tool;
  const Json* arguments = nullptr;  ///< null: rules that look at them are left for later
};

/// What the chain says before the call runs. Extensions decide by facts alone, so what they said
/// of a tool and a caller holds for the next such call, unless a rule looks at arguments.
VerdictPtr judge(const Judged& call, ChainMetrics& metrics);
/// The same, where that takes no time by the arguments' size. Null, and nothing is counted: a rule
/// about such a call looks at them.
VerdictPtr judge_at_once(const Judged& call, ChainMetrics& metrics);
/// What the chain says before the arguments are looked at.
struct EarlyVerdict {
  VerdictPtr verdict;
  bool last = true;  ///< it holds whatever the arguments are; otherwise `judge` has the last word
};
/// Counts what is the last word only, so that each call is counted once.
EarlyVerdict judge_early(const Judged& call, ChainMetrics& metrics);
/// The same where no policy is in force: a spec alone may ask for approval.
Verdict judge_without_policy(const tools::model::Spec& spec);

/// A call's result as the chain leaves it.
struct JudgedResult {
  tools::model::Execution result;
  bool changed = false;  ///< what else the tool said of its result must not be shown
};

/// A result that no longer fits the tool's output schema becomes invalid_result.
JudgedResult judge_result(const Judged& call, tools::model::Execution result,
                          ChainMetrics& metrics);

}  // namespace toolway::extensions::chain
