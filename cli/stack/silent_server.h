#pragma once

#include <chrono>

#include "cli/stack/disk_watch.h"

namespace toolway::cli::stack {

/// A server that is alive but has answered nothing for this long is taken to hang.
inline constexpr std::chrono::seconds kHangs{15};

/// What to do with a server that is alive.
enum class SilentServer {
  kLeave,        ///< it answers, or still may
  kWaitForRoom,  ///< it hangs, and its disk is full: a start would fail, and might damage what it
                 ///< keeps
  kStartAgain,   ///< it hangs
};

inline SilentServer judge_silence(std::chrono::nanoseconds silent, DiskState disk) {
  if (silent < kHangs) return SilentServer::kLeave;
  return disk == DiskState::kFull ? SilentServer::kWaitForRoom : SilentServer::kStartAgain;
}

}  // namespace toolway::cli::stack
