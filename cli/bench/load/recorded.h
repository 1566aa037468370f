#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/bench/load/call_key.h"
#include "cli/client/http_client.h"
#include "cli/process/stop_signals.h"

namespace toolway::cli::bench::load {

/// When calls were recorded, by the servers' clocks.
struct Recorded {
  std::vector<float> ms;      ///< of each call, from its submission on
  double seconds = 0;         ///< from the first submission to the last record
  std::uint64_t missing = 0;  ///< calls without a time
};

/// Reads from the gateway's own pages, which come from Postgres, when each of `calls` was recorded.
/// Waits until all times are there, or until none has been added for 30 s. Errors: the gateway's;
/// kShuttingDown when a signal came.
Result<Recorded> read_recorded(client::HttpClient& client, const std::vector<std::string>& sessions,
                               const std::vector<CallKey>& calls, process::StopSignals& signals,
                               const std::function<void(const std::string&)>& progress);

/// Microseconds since the epoch of `2026-01-31T12:00:00.000000Z`; 0 when it is not a time.
std::int64_t parse_time_us(const std::string& rfc3339);

}  // namespace toolway::cli::bench::load
