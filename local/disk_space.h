#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace toolway::local {

/// Of the file system that a directory is on.
struct DiskSpace {
  std::uint64_t size = 0;    ///< bytes
  std::uint64_t free = 0;    ///< bytes that a process without privileges can still write
  std::uint64_t device = 0;  ///< tells file systems apart
};

/// Nothing when that cannot be determined.
std::optional<DiskSpace> disk_space(const std::string& directory);

}  // namespace toolway::local
