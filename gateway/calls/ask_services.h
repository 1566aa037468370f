#pragma once

#include <memory>

#include "base/clock.h"
#include "extensions/chain/chain_metrics.h"
#include "extensions/services/service_desk.h"
#include "gateway/calls/call_plan.h"
#include "gateway/loop/work_pool.h"

namespace toolway::gateway::calls {

/// What asking services about calls needs.
struct ServicesContext {
  std::shared_ptr<extensions::services::ServiceDesk> desk;  ///< null: this process may ask none
  loop::WorkPool& threads;                                  ///< that wait for their answers
  extensions::chain::ChainMetrics& metrics;
  const Clock& clock;
};

/// Asks the services that rules say to ask before the call, one after the other, and changes the
/// call as they say: held, lower limits, another pool; never its arguments. Nothing is asked about
/// a call that no such rule is about. Errors: what a service refuses with; timeout (503), when one
/// cannot say and its rule is closed. `call` and `context` must last until then.
loop::Task<wire::HttpResult<void>> ask_services(const ServicesContext& context, PlannedCall& call);

/// Makes the call one that a service has decided about. Pure.
void obey_answer(const extensions::services::Answer& answer, const std::string& rule,
                 PlannedCall& call);

}  // namespace toolway::gateway::calls
