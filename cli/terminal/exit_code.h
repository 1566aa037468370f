#pragma once

#include <span>
#include <string_view>

#include "base/error.h"

namespace toolway::cli::terminal {

inline constexpr int kExitOk = 0;
inline constexpr int kExitInternal = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitRefused = 3;       ///< the request was refused (4xx)
inline constexpr int kExitUnavailable = 4;   ///< try again later (5xx, or no gateway answers)
inline constexpr int kExitNotSucceeded = 5;  ///< the call ended with another outcome than succeeded

inline constexpr int kExitStillRunning =
    6;  ///< the call was accepted, and had not ended when the wait did

/// The statuses and what they mean: `toolway help exit-status`, the man pages and docs/cli.md have
/// this list.
struct ExitStatus {
  std::string_view status;
  std::string_view means;
};
std::span<const ExitStatus> exit_statuses();

int exit_code(ErrorCode code);
/// Of an HTTP answer that is not 2xx.
int exit_code_of_status(int status);

}  // namespace toolway::cli::terminal
