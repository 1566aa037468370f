#pragma once

namespace toolway::chaos {

/// Stops a server with all its children (SIGSTOP), as a machine does whose storage hangs. A second time: nothing.
void freeze(int pid);
/// Lets it go on.
void thaw(int pid);

}  // namespace toolway::chaos
