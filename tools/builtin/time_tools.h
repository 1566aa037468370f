#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "tools/model/tool.h"

namespace toolway::tools {

/// Namespace `time`.
std::vector<std::shared_ptr<const Tool>> time_tools(std::shared_ptr<const Clock> clock);

}  // namespace toolway::tools
