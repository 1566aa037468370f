#pragma once

#include <optional>
#include <string_view>

namespace toolway::monitoring {

/// What the kernel says about a process. Seconds and bytes.
struct ProcessStats {
  double parent = 0;  ///< pid
  double user_seconds = 0;
  double system_seconds = 0;
  /// Of children that have ended and were waited for, and of theirs.
  double children_user_seconds = 0;
  double children_system_seconds = 0;
  double resident_bytes = 0;
  double virtual_bytes = 0;
  double threads = 0;
  double start_time = 0;  ///< Unix time
  double open_fds = 0;
  double max_fds = 0;

  double cpu_seconds() const { return user_seconds + system_seconds; }
};

/// What the files of /proc are read in.
struct ProcessUnits {
  long ticks_per_second;
  long page_size;
  double boot_time;  ///< Unix time
};

/// Reads the text of /proc/PID/stat (proc(5)); nothing when it is not of that form. Pure.
std::optional<ProcessStats> parse_process_stat(std::string_view stat, const ProcessUnits& units);

/// Of this process; nothing where there is no /proc.
std::optional<ProcessStats> read_process_stats();

}  // namespace toolway::monitoring
