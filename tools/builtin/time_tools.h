#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "tools/model/tool.h"

namespace toolway::tools::builtin {

/// Namespace `time`.
std::vector<std::shared_ptr<const model::Tool>> time_tools(std::shared_ptr<const Clock> clock);

}  // namespace toolway::tools::builtin
