#pragma once

#include <optional>
#include <vector>

#include "cli/bench/figures/load_record.h"
#include "cli/bench/load/attempt_times.h"

namespace toolway::cli::bench::run {

/// How long after `scaled_at` (seconds; when the new workers were told to start) `workers` workers
/// ran their share: each started at least half of an equal share of the calls in the half second
/// before. Nothing: they never did. Pure.
std::optional<double> take_up_seconds(const std::vector<load::CallStart>& starts, double scaled_at,
                                      unsigned workers);

/// How long after the last of `killed` before it each of `again` was, in ms: what a killed worker
/// ran starts again elsewhere. What was before all of them is left out. Both in seconds, `killed`
/// in order. Pure.
std::vector<float> takeover_times(const std::vector<double>& killed,
                                  const std::vector<double>& again);

/// The same of calls that ended as `unknown`. Those that no kill explains count as failed in
/// `record`. Pure.
std::vector<float> unknown_times(const std::vector<double>& killed,
                                 const std::vector<double>& unknown, figures::LoadRecord& record);

}  // namespace toolway::cli::bench::run
