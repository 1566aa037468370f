#pragma once

namespace toolway::cli::process {

/// Lets this process, and the children it starts later, open as many files and sockets as the
/// system allows: every follower of a gateway is one, and the usual soft limit is 1,024.
void raise_file_limit();

}  // namespace toolway::cli::process
