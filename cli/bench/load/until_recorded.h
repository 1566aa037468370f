#pragma once

#include <string>

#include "cli/bench/figures/threshold.h"
#include "cli/bench/load/load_run.h"

namespace toolway::cli::bench::load {

/// What a load of one group came to.
struct RecordedLoad {
  figures::Figures figures;  ///< `calls_per_s` counts until the last call is in Postgres
  std::string first_error;   ///< empty: every call was completed once
};

/// Makes the load of a scenario of one group, and waits until Postgres has its calls. Errors: as
/// those of LoadRun and compare_with_postgres.
Result<RecordedLoad> run_until_recorded(const scenario::Scenario& scenario,
                                        const LoadTarget& target, const LoadHooks& hooks,
                                        process::StopSignals& signals);

}  // namespace toolway::cli::bench::load
