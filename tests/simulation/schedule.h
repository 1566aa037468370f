#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/simulation/server.h"
#include "tests/simulation/weather.h"

namespace toolway::simulation {

/// What makes a schedule: run twice, it does the same twice.
struct Plan {
  std::uint64_t seed = 0;
  std::uint32_t faults = kAllFaults;
  unsigned most_calls = 6;
  unsigned most_turns = 0;  ///< 0: there are no chat processes
  Broken broken = Broken::kNothing;
};

struct ScheduleResult {
  std::vector<std::string> violations;
  std::vector<std::string> trace;
  std::uint64_t steps = 0;
  std::uint64_t calls = 0;
  std::uint64_t messages = 0;  ///< of conversations, that were stored
  std::uint64_t hash = 0;      ///< of all that was stored: equal for equal schedules
};

/// Runs one schedule to its end.
ScheduleResult run_schedule(const Plan& plan, Trace trace);

}  // namespace toolway::simulation
