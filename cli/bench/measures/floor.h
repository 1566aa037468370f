#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/result.h"
#include "cli/process/stop_signals.h"
#include "cli/stack/stack.h"

namespace toolway::cli::bench::measures {

struct FloorOptions {
  stack::StackOptions servers;  ///< as of the stack that is compared
  double seconds = 5;           ///< of each way, before and after
  unsigned sessions = 16;
  std::size_t payload = 64;
  bool two_events = false;  ///< Started and Completed apart, as with progress
  double rate = 0;          ///< calls/s of an open loop; 0: a closed loop
};

struct FloorResult {
  double calls_per_s = 0;  ///< up to the last one recorded in Postgres
  /// Until the completion is seen, from when the call was due; 0 of a closed loop.
  double p50_ms = 0;
  double p99_ms = 0;
};

/// Of one way.
struct Floor {
  FloorResult before;
  FloorResult after;
  double mean(double FloorResult::* figure) const { return (before.*figure + after.*figure) / 2; }
};

struct Floors {
  Floor threads;
  Floor loop;
};

using Progress = std::function<void(const std::string&)>;

/// What the same messages cost without HTTP or a tool: publishes calls with message ids, pulls them
/// (pool `floor`), chains their events, acks, and follows them live, on servers of its own, whose
/// collectors record all of it. Neither gateway nor worker runs there. Measures both ways before
/// `stack` and again after it, in the other order; nothing of the floor runs while `stack` does.
/// Blocks. Errors: those of `stack`, and of a stack's start, kBusUnavailable, kTimeout.
Result<Floors> measure_floors(const FloorOptions& options, process::StopSignals& signals,
                              const Progress& progress, const std::function<Result<void>()>& stack);

}  // namespace toolway::cli::bench::measures
