#pragma once

#include <memory>
#include <vector>

#include "tools/model/tool.h"

namespace toolway::tools::builtin {

/// The tools of tools/builtin/own/, one header each: those that `toolway tools new --kind native`
/// makes. The list is made by user_tools.cmake.
std::vector<std::shared_ptr<const model::Tool>> user_tools();

}  // namespace toolway::tools::builtin
