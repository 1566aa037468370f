#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace toolway::chaos {

/// Gives this process mounts of its own, which end with it. Before any thread is started. Errors:
/// kInternal, where the system does not allow it.
Result<void> unshare_mounts();

/// A disk in memory for the data of a stack's servers, which can be full to the last page: it is
/// made as small as what it holds, so that costs no memory. Unmounted when destroyed, after the
/// servers have ended.
class FullDisk {
 public:
  /// Errors: kInternal with the system's words.
  static Result<std::unique_ptr<FullDisk>> mount(const std::string& directory, std::uint64_t bytes);
  ~FullDisk();
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

  Result<void> fill();
  /// As large as before. Errors: kInternal.
  Result<void> free();
  bool filled() const { return filled_; }

 private:
  FullDisk(std::string directory, std::uint64_t bytes)
      : directory_(std::move(directory)), bytes_(bytes) {}
  bool resize(std::uint64_t bytes) const;
  const std::string directory_;
  const std::uint64_t bytes_;
  bool filled_ = false;
};

}  // namespace toolway::chaos
