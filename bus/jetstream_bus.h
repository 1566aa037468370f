#pragma once

#include <memory>

#include "bus/bus.h"
#include "bus/jetstream_options.h"

namespace toolway::bus {

/// Connects over nats.c. Errors: kBusUnavailable, with the server's words and no credentials.
Result<std::unique_ptr<Bus>> connect_jetstream(JetStreamOptions options);

}  // namespace toolway::bus
