#pragma once

#include "gateway/admission/bus_watch.h"
#include "gateway/calls/edit_log.h"

namespace toolway::gateway::calls {

/// Puts a call into a queue that was accepted before and waited for something else than a worker.
/// Where that does not succeed, the reaper does it. `why`: of the log, such as `was approved`.
loop::Task<void> publish_again(loop::AsyncBus& bus, admission::BusWatch& queues,
                               v1::CallRequest call, admission::QueuePlace place,
                               std::string_view why);

/// The same for a parked call that is answered, by its last event. What the store does not have yet
/// is left to the reaper, too.
loop::Task<void> resume(const CancelContext& context, admission::BusWatch& queues,
                        v1::CallEvent last);

}  // namespace toolway::gateway::calls
