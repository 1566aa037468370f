#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "monitoring/process_stats.h"

namespace toolway::bench {

/// CPU time that another process has used so far, in all its threads; 0 when it is not there.
inline double cpu_seconds_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto stats = monitoring::parse_process_stat(text, {.ticks_per_second = sysconf(_SC_CLK_TCK),
                                                           .page_size = sysconf(_SC_PAGESIZE),
                                                           .boot_time = 0});
  return stats ? stats->cpu_seconds() : 0;
}

}  // namespace toolway::bench
