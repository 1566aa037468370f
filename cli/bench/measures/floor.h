#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"

namespace toolway::cli::bench::measures {

struct FloorOptions {
  std::string nats;
  double seconds = 8;
  unsigned sessions = 16;
  std::size_t payload = 64;
  bool two_events = false;   ///< Started and Completed apart, as with progress
  unsigned in_flight = 512;  ///< calls published and not seen completed
};

struct FloorResult {
  std::uint64_t calls = 0;
  double calls_per_s = 0;  ///< up to the last one recorded in Postgres
};

/// What the same messages cost without HTTP or a tool: publishes calls
/// with message ids, pulls them (pool `floor`), chains their events, acks, and follows
/// them live, on the servers of a running stack, whose own collectors record
/// all of it. Errors: kBusUnavailable, kTimeout.
Result<FloorResult> measure_floor(const FloorOptions& options,
                                  const std::function<void(const std::string&)>& progress);

}  // namespace toolway::cli::bench::measures
