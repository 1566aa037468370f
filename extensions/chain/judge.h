#pragma once

#include "extensions/chain/policy_board.h"
#include "tools/model/registry.h"

namespace toolway::extensions::chain {

/// The call that a chain is asked about. What it refers to lasts as long as the decision.
struct Judged {
  const PolicyInForce& in_force;
  const Principal& caller;
  const tools::model::Spec& spec;
  const Json* arguments = nullptr;  ///< null: rules that look at them are left for later
};

/// What the chain says before the call runs.
Verdict judge(const Judged& call, ChainMetrics& metrics);
/// The same where no policy is in force: a spec alone may ask for approval.
Verdict judge_without_policy(const tools::model::Spec& spec);

/// A call's result as the chain leaves it.
struct JudgedResult {
  tools::model::Execution result;
  bool changed = false;  ///< what else the tool said of its result must not be shown
};

/// A result that no longer fits the tool's output schema becomes invalid_result.
JudgedResult judge_result(const Judged& call, const tools::model::RegisteredTool& tool,
                          tools::model::Execution result, ChainMetrics& metrics);

}  // namespace toolway::extensions::chain
