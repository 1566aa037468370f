#pragma once

#include <vector>

#include "base/json.h"
#include "tools/kinds.h"

namespace toolway::tools {

/// What is wrong with the `implementation_config` of a command tool (docs/commands.md).
/// Pure. Placeholders must be properties of `input_schema`. Pointers begin with
/// `/implementation_config`.
std::vector<SpecMistake> check_command_config(const OrderedJson& config, const OrderedJson& input_schema);

}  // namespace toolway::tools
