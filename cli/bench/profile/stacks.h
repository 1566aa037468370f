#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace toolway::cli::bench::profile {

/// Where a process was found running.
struct Stack {
  std::string frames;  ///< `leaf < caller < its caller`, the innermost ones
  double share = 0;    ///< of all samples
};

struct Stacks {
  std::size_t samples = 0;
  std::vector<Stack> heaviest;
};

/// Folds what `perf script -F ip,sym` says, and keeps the `most` heaviest stacks. Frames of the
/// kernel become one, with the system call's name; those of std and Boost, and those without a
/// readable name, are left out. Pure.
Stacks fold_stacks(std::string_view script, std::size_t most);

}  // namespace toolway::cli::bench::profile
