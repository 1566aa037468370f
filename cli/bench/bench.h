#pragma once

#include "cli/bench/options/options.h"
#include "cli/terminal/style.h"

namespace toolway::cli {

/// `toolway bench`: measures, reports, and says by its exit status whether every --slo holds.
int run_bench(BenchOptions options, const Style& style);

}  // namespace toolway::cli
