#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "extensions/chain/judge.h"
#include "extensions/redaction/mask.h"
#include "proto/toolway/v1/call.pb.h"
#include "tools/model/registry.h"
#include "workers/call/may_start.h"
#include "workers/call/worker_context.h"

namespace toolway::workers::call {

/// What the chain of extensions says about one execution of a call, by the policy that is in force
/// when it begins. For the thread that runs the tool; what is referred to must outlive it.
class CallChain {
 public:
  /// `look`: what the chain has said before; by another policy, or without its last word, the
  /// chain is asked again.
  CallChain(const std::shared_ptr<WorkerContext>& context, const v1::CallRequest& request,
            const tools::model::RegisteredTool& tool, const Json& arguments, const ChainLook& look);

  /// Why the tool must not run; nothing: it may. Ask this first.
  std::optional<Error> refusal();
  /// How readers see what the tool says of itself.
  const extensions::redaction::Mask& mask() const { return mask_; }

  struct Shown {
    tools::model::Execution result;
    bool changed = false;  ///< what else the tool said of its result must not be shown
  };
  /// A result as readers are shown it: as the extensions leave it, without what the output schema
  /// marks as secret, masked, and as the services say that rules have asked about it. Blocks while
  /// they are asked.
  Shown shown(tools::model::Execution result, unsigned attempt, std::stop_token stop);

 private:
  Shown redacted(tools::model::Execution result) const;
  extensions::chain::VerdictPtr verdict() const;
  Shown judged(tools::model::Execution result) const;
  Shown answered(Shown shown, unsigned attempt, const std::stop_token& stop) const;

  const std::shared_ptr<WorkerContext>& context_;
  const v1::CallRequest& request_;
  const tools::model::RegisteredTool& tool_;
  const Json& arguments_;
  const extensions::chain::PolicyInForcePtr policy_;  ///< null: none is in force
  /// What was said by it before, and is its last word; null: nothing.
  const extensions::chain::VerdictPtr said_;
  const extensions::redaction::Mask mask_;
  std::vector<extensions::ServiceAsked> services_;  ///< about the result
};

}  // namespace toolway::workers::call
