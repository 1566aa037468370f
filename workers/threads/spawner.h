#pragma once

#include <functional>

namespace toolway::workers::threads {

/// Runs `body` on a new thread that is never joined. False: the system has none, and nothing was
/// done.
using Spawner = std::function<bool(std::function<void()> body)>;
bool spawn_thread(std::function<void()> body);

}  // namespace toolway::workers::threads
