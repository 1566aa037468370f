#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace toolway::chaos {

/// Gives this process mounts of its own, which end with it. Before any thread is started. Errors: kInternal, where
/// the system does not allow it.
Result<void> unshare_mounts();

/// A disk in memory for the data of a stack's servers, which can be filled to the last byte. Unmounted when
/// destroyed, the servers having ended.
class FullDisk {
 public:
  /// Errors: kInternal with the system's words.
  static Result<std::unique_ptr<FullDisk>> mount(const std::string& directory, std::uint64_t bytes);
  ~FullDisk();
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

  Result<void> fill();
  void free();
  bool filled() const { return filled_; }

 private:
  explicit FullDisk(std::string directory) : directory_(std::move(directory)) {}
  std::string filler() const { return directory_ + "/filler"; }
  const std::string directory_;
  bool filled_ = false;
};

}  // namespace toolway::chaos
