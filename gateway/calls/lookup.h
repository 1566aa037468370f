#pragma once

#include <string>

#include "gateway/loop/async_bus.h"
#include "proto/toolway/v1/control.pb.h"

namespace toolway::gateway::calls {

/// What the collectors have recorded of a call, asked over the bus. Errors: kNotFound (no
/// collector runs), kTimeout (none answers), those of the bus.
loop::Task<Result<v1::LookupAnswer>> look_up_call(loop::AsyncBus& bus, std::string call_id);

}  // namespace toolway::gateway::calls
