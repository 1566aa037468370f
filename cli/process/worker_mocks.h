#pragma once

#include <memory>

#include "base/result.h"
#include "cli/process/mock_flags.h"
#include "tools/executors/mock/mocks.h"
#include "tools/model/registry.h"

namespace toolway::cli::process {

/// The mocks of a worker, announced loudly in its log; null: none were asked for. Errors:
/// kInvalidSpec (all mistakes, those among them that break the schemas of `natives`),
/// kInvalidRequest (a file).
Result<std::shared_ptr<const tools::executors::mock::Mocks>> make_worker_mocks(
    const MockFlags& flags, const tools::model::Registry& natives,
    std::shared_ptr<const tools::model::Secrets> secrets);

}  // namespace toolway::cli::process
