#pragma once

#include <nats/nats.h>

#include "bus/bus.h"
#include "bus/topology.h"

namespace toolway::bus {

/// Whether a stream takes atomic batches.
enum class Batches { kNone, kWhereSyncedOnce };

/// Makes a stream (or bucket) and its durables what `config` says; blocks.
Result<void> provision_stream(natsConnection* connection, const StreamConfig& config,
                              Batches batches);

}  // namespace toolway::bus
