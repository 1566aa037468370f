#pragma once

#include <memory>

#include "base/clock.h"
#include "tools/registry.h"

namespace toolway::tools {

/// Namespace `time`.
Result<void> add_time_tools(Registry& registry, std::shared_ptr<const Clock> clock);

}  // namespace toolway::tools
