#pragma once

#include "tools/registry.h"

namespace toolway::tools {

/// Namespace `bench`: what `toolway bench` calls. `echo` gives its payload back,
/// `stream` publishes as many reports as it is told to.
Result<void> add_bench_tools(Registry& registry);

}  // namespace toolway::tools
