#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "base/result.h"
#include "tools/tool.h"

namespace toolway::tools {

/// Applies a YAML file of specs (docs/tools.md) to the tools of this build:
/// adjusts their specs, and leaves out those that are not enabled. Errors:
/// kInvalidSpec with file and line for anything that is not understood.
Result<std::vector<std::shared_ptr<const Tool>>> apply_spec_file(
    const std::filesystem::path& file, std::vector<std::shared_ptr<const Tool>> tools);

}  // namespace toolway::tools
