#pragma once

#include <nats/nats.h>

#include "bus/bus.h"
#include "bus/topology.h"

namespace toolway::bus {

/// Makes a stream (or bucket) and its durables what `config` says; blocks.
Result<void> provision_stream(natsConnection* connection, const StreamConfig& config);

}  // namespace toolway::bus
