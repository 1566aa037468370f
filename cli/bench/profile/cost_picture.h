#pragma once

#include <string>

#include "cli/bench/profile/kept_profile.h"

namespace toolway::cli::bench::profile {

/// Where the CPU of a call goes, as an SVG document: a bar for each process, with its system calls
/// and context switches. Pure.
std::string cost_picture(const KeptProfile& profile);

}  // namespace toolway::cli::bench::profile
