#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/process/pools.h"
#include "cli/process/processes.h"
#include "tools/kinds.h"

namespace toolway::cli {

/// How many calls of a pool a worker holds at once when nobody says: many where they wait for
/// others, few where each is a process of its own.
std::size_t slots_of_pool(const std::string& pool);

/// What a worker of `pools` runs besides native tools. Interpreters are started ahead only
/// where there is a pool for them.
Result<tools::ToolKinds> make_tool_kinds(const ProcessOptions& options,
                                         const std::vector<PoolSlots>& pools);

}  // namespace toolway::cli
