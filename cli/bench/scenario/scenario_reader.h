#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/bench/scenario/scenario.h"
#include "tools/specs/reader.h"

namespace toolway::cli::bench::scenario {

/// What a scenario's text says. With any mistake there is no scenario to run.
struct ReadScenario {
  Scenario scenario;
  std::vector<toolway::Mistake> mistakes;  ///< by line
};

/// Reads a scenario from YAML (docs/load-testing.md), strictly: what is unknown, of another type or
/// out of range is a mistake. `origin` is what mistakes name. Never throws. Pure.
ReadScenario read_scenario(std::string_view text, std::string_view origin);

}  // namespace toolway::cli::bench::scenario
