#pragma once

#include "base/json.h"
#include "cli/bench/figures/memory.h"
#include "cli/bench/figures/threshold.h"
#include "cli/bench/load/group_run.h"
#include "cli/terminal/style.h"

namespace toolway::cli::bench::results {

/// A load and what was found of it.
struct BenchResult {
  const figures::Figures& figures;  ///< by the names that --slo has for them
  const OrderedJson& json;          ///< as --json has it
  const load::GroupRun& load;
};

/// The figures of a load as --json has them.
OrderedJson figures_json(const figures::Figures& figures);

/// Prints a load's figures as a table, with what went wrong.
void print_summary(const BenchResult& result, const terminal::Style& style);

/// Prints what a gateway keeps for each session and follower.
void print_memory(const figures::Figures& figures, const figures::GatewayMemory& memory,
                  const load::GroupRun& load);

}  // namespace toolway::cli::bench::results
