#pragma once

#include "bus/bus.h"

namespace toolway::persistence {

/// The durables that a layout asks for and the bus does not have, as `STREAM/durable`. Waits
/// for the bus; none of its threads.
Result<std::vector<std::string>> missing_durables(bus::Bus& bus, const bus::Layout& layout);

}  // namespace toolway::persistence
