#pragma once

#include <functional>

#include "cli/bench/options/options.h"
#include "cli/process/stop_signals.h"

namespace toolway::cli::bench::measures {

/// What one worker needs while it holds many HTTP calls at once.
struct InFlight {
  unsigned calls = 0;
  std::int64_t before_kb = 0;  ///< the worker's resident set without a call
  std::int64_t with_kb = 0;    ///< with all of them waiting for the server
  std::int64_t after_kb = 0;
  double begun_s = 0;  ///< from the first submit until all were at the server
};

/// Starts a stack with one worker of `options.in_flight` slots and a server that answers none until
/// all calls are there. Blocks. Errors: as a stack's; kTimeout when they are not there within a
/// minute.
Result<InFlight> measure_in_flight(const options::BenchOptions& options,
                                   process::StopSignals& signals,
                                   const std::function<void(const std::string&)>& line);

}  // namespace toolway::cli::bench::measures
