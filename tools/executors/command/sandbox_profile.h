#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace toolway::tools::executors::command {

/// What a command may see and use. Named in worker configuration
/// (docs/operations/sandbox.md), never made by a spec.
struct SandboxProfile {
  enum class Isolation { kBubblewrap, kNone };
  /// kNone: runs as the worker itself does, unprotected; only where an operator says so.
  Isolation isolation = Isolation::kBubblewrap;
  bool network = false;
  std::string
      rootfs{};  ///< an unpacked container image; empty: this machine's /usr and parts of /etc
  std::vector<std::pair<std::string, std::string>>
      read_only{};                           ///< more of this machine: its path, the path inside
  std::uint64_t memory_bytes = 512UL << 20;  ///< private memory of each process
  std::uint64_t address_space_bytes = 8UL
                                      << 30;  ///< all memory of each process, shared and mapped too
  std::uint64_t processes = 64;               ///< processes and threads at a time
  std::uint64_t open_files = 256;             ///< of each process
  std::uint64_t file_bytes = 256UL << 20;     ///< of each file that is written
  std::uint64_t cpu_seconds = 600;            ///< of each process
  std::uint64_t tmp_bytes = 64UL << 20;       ///< of /tmp, and of /dev/shm; both are memory
};

using SandboxProfiles = std::map<std::string, SandboxProfile, std::less<>>;

/// What a configuration file says: `profiles:` by name, and which is the `default`.
struct SandboxConfiguration {
  SandboxProfiles profiles;
  std::string default_profile;
};

/// Reads YAML or JSON. `default` and `network` are there unless the file says
/// otherwise. Errors: kInvalidSpec with file and line.
Result<SandboxConfiguration> read_sandbox_profiles(const std::filesystem::path& file);

/// The built-in ones: `default` (no network) and `network`.
SandboxConfiguration standard_sandbox_profiles();

}  // namespace toolway::tools::executors::command
