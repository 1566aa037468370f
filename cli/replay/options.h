#pragma once

#include <string>
#include <vector>

#include "cli/replay/comparison.h"

namespace toolway::cli::replay {

struct ReplayOptions {
  std::string session;
  std::string against;               ///< a gateway's URL, or `mocks`
  std::string against_key_file;      ///< of that gateway: it never gets the first one's key
  std::vector<std::string> ignored;  ///< JSON Pointers into results
  std::vector<std::string> mocks;    ///< files that answer instead of the recorded calls
  double mock_speed = 1;             ///< not 1: run times say nothing about the tools
  unsigned limit = 1000;             ///< the newest calls
  unsigned timeout_s = 60;           ///< for one call
  bool dangerous = false;            ///< makes calls of tools that say they are
  std::string save;                  ///< file that gets the stack's memory; empty: none
  std::string baseline;              ///< such a file to compare with
  Bounds bounds;
};

}  // namespace toolway::cli::replay
