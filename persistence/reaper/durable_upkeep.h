#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bus/bus.h"
#include "persistence/reaper/elected_connection.h"

namespace toolway::persistence::reaper {

/// The durables that a layout asks for and the bus does not have, as `STREAM/durable`. Waits
/// for the bus; none of its threads.
Result<std::vector<std::string>> missing_durables(bus::StreamReader& bus,
                                                  const bus::Layout& layout);

/// What `toolway migrate` provisioned last, as JSON; nothing: it stored none. Errors: as
/// ElectedConnection.
Result<std::optional<std::string>> provisioned_layout(ElectedConnection& connection);

}  // namespace toolway::persistence::reaper
