#pragma once

#include <functional>

namespace toolway::os {

/// Runs `task` on the one thread that forks, and waits for it. The kernel takes
/// the end of the *thread* that forked for the parent's death (prctl(2),
/// PR_SET_PDEATHSIG), so all children come from a thread that lives as long as
/// the process.
void on_spawner_thread(const std::function<void()>& task);

}  // namespace toolway::os
