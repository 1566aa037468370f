#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/bench/ledger.h"
#include "cli/client/http_client.h"

namespace toolway::cli {

/// Reads from the gateway's own pages, which come from Postgres, when each
/// measured call was recorded. Waits until all are there, or until none has been added
/// for 30 s; returns how many are missing.
Result<std::uint64_t> read_recorded(HttpClient& client, const std::vector<std::string>& sessions,
                                    Ledger& ledger,
                                    const std::function<void(const std::string&)>& progress);

/// Microseconds since the epoch of `2026-01-31T12:00:00.000000Z`; 0 when it is not a time.
std::int64_t parse_time_us(const std::string& rfc3339);

}  // namespace toolway::cli
