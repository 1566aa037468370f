#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "cli/process/pools.h"
#include "cli/process/processes.h"
#include "tools/model/kind_types.h"

namespace toolway::cli::process {

/// What a worker runs besides native tools: every kind of this build that runs on this
/// machine. One that does not is an error when a pool of its name is served, and a line in
/// the log otherwise. What they find goes to `offer`. Errors: as the kinds', and kInvalidRequest
/// (an unknown setting).
Result<tools::model::ToolKinds> make_worker_kinds(
    const ProcessOptions& options, const std::vector<PoolSlots>& pools,
    std::shared_ptr<const tools::model::Secrets> secrets,
    std::function<void(tools::model::Toolset)> offer);

}  // namespace toolway::cli::process
