#pragma once

#include <memory>
#include <vector>

#include "tools/model/tool.h"

namespace toolway::tools::builtin {

/// Namespace `bench`: what `toolway bench` calls. `echo` gives its payload back,
/// `stream` publishes as many reports as it is told to, `work` takes as long and returns as much as
/// it is told to, `work_once` is `work` that is not idempotent, and `ask` asks its client.
std::vector<std::shared_ptr<const model::Tool>> bench_tools();

}  // namespace toolway::tools::builtin
