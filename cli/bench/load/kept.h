#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/bench/load/group_run.h"

namespace toolway::cli::bench::load {

/// Counts in Postgres, by the gateways' own answers, how many completed calls each followed session
/// has, and writes into the group's record what is missing (lost) or in excess (repeats). Waits
/// until all are there, or until none has been added for a minute: messages that a restarted
/// collector held come again after 30 s. Returns how many are missing. Errors: no gateway answers.
Result<std::uint64_t> compare_with_postgres(
    GroupRun& group, const std::vector<process::HostPort>& gateways,
    const std::function<void(const std::string&)>& progress);

}  // namespace toolway::cli::bench::load
