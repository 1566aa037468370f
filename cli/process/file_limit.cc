#include "cli/process/file_limit.h"

#include <sys/resource.h>

#include <algorithm>

namespace toolway::cli::process {

void raise_file_limit() {
  constexpr rlim_t kWanted = 65536;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kWanted) return;
  rlimit raised{.rlim_cur = kWanted, .rlim_max = std::max(limit.rlim_max, kWanted)};
  // Only root may raise the hard limit; others get as far as it lets them.
  if (setrlimit(RLIMIT_NOFILE, &raised) == 0) return;
  raised = {.rlim_cur = std::min(limit.rlim_max, kWanted), .rlim_max = limit.rlim_max};
  setrlimit(RLIMIT_NOFILE, &raised);
}

}  // namespace toolway::cli::process
