#pragma once

#include <filesystem>

#include "base/result.h"

namespace toolway::cli::stack {

/// Held as long as the process lives: two stacks on one directory would destroy each other's data.
class DirectoryLock {
 public:
  DirectoryLock() = default;
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  /// Errors: kInvalidRequest when another process holds it, with its pid.
  Result<void> take(const std::filesystem::path& file);

 private:
  int fd_ = -1;
};

}  // namespace toolway::cli::stack
