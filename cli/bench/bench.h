#pragma once

#include "cli/bench/options/options.h"
#include "cli/terminal/style.h"

namespace toolway::cli::bench {

/// `toolway bench`: measures, reports, and says by its exit status whether every --slo holds.
int run_bench(options::BenchOptions options, const terminal::Style& style);

}  // namespace toolway::cli::bench
