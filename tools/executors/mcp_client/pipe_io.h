#pragma once

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <string_view>

#include "base/clock.h"

/// How a thread speaks to a process by pipes that do not wait.
namespace toolway::tools::executors::mcp_client {

/// For this thread: writing to a process that has ended is an error, and not the end of ours.
inline void survive_broken_pipes() {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
}

/// Writes as much as there is room for; returns how much that was. A process that no longer reads
/// has no room, which its end will show.
inline std::size_t write_some(int file, std::string_view text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const auto length = write(file, text.data() + done, text.size() - done);
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) break;
    done += static_cast<std::size_t>(length);
  }
  return done;
}

/// What `poll` waits at most to be there at `next`, in milliseconds; -1: as long as it takes.
inline int patience_until(MonotonicTime next, MonotonicTime now) {
  if (next == MonotonicTime::max()) return -1;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - now).count();
  return static_cast<int>(std::clamp<std::int64_t>(wait, 0, 60'000));
}

}  // namespace toolway::tools::executors::mcp_client
