#pragma once

#include "tests/simulation/schedule.h"

namespace toolway::simulation {

/// The same seed with the fewest kinds of faults, and the fewest calls, that still fail.
Plan shrink(Plan failing);

/// `seed=… faults=<hex> calls=…`: a schedule as a line of tests/simulation/seeds.
std::string line_of(const Plan& plan);
/// Back from such a line; what it leaves out is as in a new schedule. Throws std::invalid_argument.
Plan plan_of(const std::string& line);

}  // namespace toolway::simulation
