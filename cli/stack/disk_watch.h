#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "local/disk_space.h"

namespace toolway::cli::stack {

enum class DiskState {
  kRoom,
  kNearlyFull,  ///< less than a tenth and less than 1 GiB is free
  kFull,        ///< less than 16 MiB is free: a server that needs a new file gets none
};

DiskState disk_state(const local::DiskSpace& disk);

/// Says when the disk under a server's data fills up, repeats it while it lasts, and says when
/// there is room again. Decides from what it is given; asks no disk.
class DiskWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kRepeat{30};

  /// `directory`: as shown to people.
  explicit DiskWatch(std::string directory) : directory_(std::move(directory)) {}

  /// What to say now; nothing: nothing new.
  std::optional<std::string> look(const local::DiskSpace& disk, Time now);
  DiskState state() const { return state_; }
  const std::string& directory() const { return directory_; }

 private:
  const std::string directory_;
  DiskState state_ = DiskState::kRoom;
  Time said_at_{};
};

}  // namespace toolway::cli::stack
