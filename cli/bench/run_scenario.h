#pragma once

#include <string>

#include "cli/stack/stack.h"
#include "cli/terminal/style.h"

namespace toolway::cli {

/// Which of a scenario's thresholds are judged.
enum class Judge {
  kAll,
  kCorrectness,  ///< those of lost, repeats and failed: what holds on any machine, however slow
};

struct ScenarioOptions {
  std::string file;
  std::string suite;   ///< `original` instead of a file
  bool check = false;  ///< only reads the file
  std::string url;     ///< of gateways, with commas; empty: a stack of its own
  double seconds = 0;  ///< of the whole; 0: as the file says
  double scale = 1;    ///< times the load
  Judge judge = Judge::kAll;
  std::string json;                      ///< gets the result
  std::string svg;                       ///< gets the plot
  std::string store = ".toolway-bench";  ///< directory of stored results; empty: none
  StackOptions stack;                    ///< of its own stack, except for what the file says
};

/// `toolway bench --scenario FILE`: makes the load, reports, compares with the last stored run of
/// the same scenario, and says by its exit status whether every threshold holds.
int run_scenario(const ScenarioOptions& options, const Style& style);

}  // namespace toolway::cli
