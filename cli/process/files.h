#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace toolway::cli::process {

/// Writes `text` for our own eyes only (0600), and atomically: a reader sees the old file
/// or the new one.
Result<void> write_whole_file(const std::filesystem::path& path, const std::string& text);

Result<std::string> read_file(const std::filesystem::path& path);

/// Where a process listens.
struct HostPort {
  std::string host;
  std::uint16_t port = 0;
  std::string text() const;
};
/// `127.0.0.1:8080`, `[::1]:0`, `:8080` (loopback). Errors: kInvalidRequest.
Result<HostPort> parse_host_port(const std::string& text);

}  // namespace toolway::cli::process
