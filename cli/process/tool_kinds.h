#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/process/pools.h"
#include "cli/process/processes.h"
#include "tools/executors/command/command_kind.h"
#include "tools/kinds.h"

namespace toolway::cli {

/// How many calls of a pool a worker holds at once when nobody says: many where they wait for
/// others, few where each is a process of its own.
std::size_t slots_of_pool(const std::string& pool);

/// What a worker runs besides native tools.
struct WorkerKinds {
  tools::ToolKinds all;
  std::shared_ptr<tools::CommandKind> command;  ///< one of them
};

/// Interpreters are started ahead only where there is a pool for them; elsewhere the first
/// call of such a tool waits for one. Errors: as the kinds', naming what is wrong.
Result<WorkerKinds> make_worker_kinds(const ProcessOptions& options, const std::vector<PoolSlots>& pools);

}  // namespace toolway::cli
