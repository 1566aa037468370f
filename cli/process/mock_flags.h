#pragma once

#include <string>
#include <vector>

namespace toolway::cli::process {

/// What the command line says of mocks (docs/mock.md).
struct MockFlags {
  std::vector<std::string> files;  ///< scripts and recordings
  double speed = 1;                ///< of recordings; 0: at once
  bool only = false;               ///< refuse calls without a mock
  std::string record;              ///< file that gets what is run for real

  bool any() const { return !files.empty() || only || !record.empty(); }
};

/// The same as arguments of `toolway worker`.
std::vector<std::string> arguments_of(const MockFlags& flags);

}  // namespace toolway::cli::process
