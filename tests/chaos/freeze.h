#pragma once

namespace toolway::chaos {

/// Stops a server with all its children (SIGSTOP), as hanging storage does. A second time: nothing.
void freeze(int pid);
/// Lets it continue.
void thaw(int pid);

}  // namespace toolway::chaos
