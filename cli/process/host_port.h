#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace toolway::cli::process {

/// Where a process listens.
struct HostPort {
  std::string host;
  std::uint16_t port = 0;
  std::string text() const;
};
/// `127.0.0.1:8080`, `[::1]:0`, `:8080` (loopback). Errors: kInvalidRequest.
Result<HostPort> parse_host_port(const std::string& text);

}  // namespace toolway::cli::process
