#pragma once

#include <optional>
#include <string_view>

namespace toolway::cli::bench::profile {

/// CPU of all cores since the machine started, in ticks.
struct MachineTime {
  double busy = 0;  ///< with what other machines on the same hardware stole
  double total = 0;
};

/// Reads the text of /proc/stat (proc(5)); nothing when it is not of that form. Pure.
std::optional<MachineTime> parse_machine_time(std::string_view stat);

}  // namespace toolway::cli::bench::profile
