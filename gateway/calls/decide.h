#pragma once

#include <string>

#include "gateway/admission/bus_watch.h"
#include "gateway/calls/decide_plan.h"
#include "gateway/calls/edit_log.h"
#include "gateway/catalogue/spec_shelf.h"
#include "tools/model/live_registry.h"

namespace toolway::gateway::calls {

/// What deciding about a held call needs.
struct DecideContext {
  const CancelContext& log;
  admission::BusWatch& queues;
  catalogue::SpecShelf& specs;
  const tools::model::LiveRegistry& registry;
};

/// What became of a vote.
struct Decided {
  enum class State {
    kWaiting,   ///< more must approve
    kApproved,  ///< it is published to run
    kDenied,    ///< it has ended, rejected
  };
  std::string call_id;
  State state = State::kWaiting;
  unsigned approvals = 0;
  unsigned quorum = 0;
};
std::string decided_json(const Decided& decided);

/// Writes a vote about a call into its log, and publishes a call that it approves; where that does
/// not succeed, the reaper does it. Whether the voter may is decided before. Errors: those of
/// `deciding` and `edit_log`; of approving, those of the call's queue: then nothing was decided.
loop::Task<wire::HttpResult<Decided>> decide(const DecideContext& context, v1::CallRequest request,
                                             v1::Vote vote);

}  // namespace toolway::gateway::calls
