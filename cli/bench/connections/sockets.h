#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/process/host_port.h"

/// Plain sockets, so that a load hardly measures its own client.
namespace toolway::cli::bench::connections {

/// Connected, non-blocking, TCP_NODELAY. Errors: kBusUnavailable.
Result<int> dial(const process::HostPort& where);

/// Writes all of it, waiting where it must, at most 5 s; false when the other side is gone.
bool write_all(int fd, std::string_view bytes);

/// Appends what there is to read; false when the other side is gone.
bool receive(int fd, std::string& into);

}  // namespace toolway::cli::bench::connections
