#pragma once

#include "cli/bench/options/options.h"

namespace CLI {
class App;
}

namespace toolway::cli::bench::options {

/// The options of `toolway bench`, except those of its own stack. `options` must outlive the
/// parsing.
void add_bench_options(CLI::App& bench, BenchOptions& options);

}  // namespace toolway::cli::bench::options
