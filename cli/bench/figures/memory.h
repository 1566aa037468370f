#pragma once

#include <cstddef>
#include <cstdint>

namespace toolway::cli::bench::figures {

/// What a process has in memory (VmRSS), in KB; 0 if the process does not exist.
std::int64_t resident_kb(int pid);

/// The gateway's memory in the course of the bench, in KB.
struct GatewayMemory {
  std::int64_t before = 0;     ///< without a session
  std::int64_t sessions = 0;   ///< with all sessions open
  std::int64_t followers = 0;  ///< with all streams open as well
  std::int64_t after = 0;      ///< when all calls were completed

  double per_session_kb(std::size_t count) const;
  double per_follower_kb(std::size_t count) const;
};

}  // namespace toolway::cli::bench::figures
