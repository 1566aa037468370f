#include "cli/stack/disk_watch.h"

#include <fmt/format.h>

namespace toolway::cli::stack {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

std::string in_mib(std::uint64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / kMiB);
}

}  // namespace

DiskState disk_state(const local::DiskSpace& disk) {
  if (disk.free < 16 * kMiB) return DiskState::kFull;
  return disk.free < 1024 * kMiB && disk.free < disk.size / 10 ? DiskState::kNearlyFull
                                                               : DiskState::kRoom;
}

std::optional<std::string> DiskWatch::look(const local::DiskSpace& disk, Time now) {
  const auto state = disk_state(disk);
  const bool news = state != state_;
  if (!news && (state != DiskState::kFull || now - said_at_ < kRepeat)) return std::nullopt;
  state_ = state;
  said_at_ = now;
  const auto left = fmt::format("{} has {} ({} bytes) free of {}", directory_, in_mib(disk.free),
                                disk.free, in_mib(disk.size));
  switch (state) {
    case DiskState::kFull:
      return fmt::format(
          "disk full: {}. Calls are refused until something is deleted there; what was accepted is kept",
          left);
    case DiskState::kNearlyFull: return fmt::format("disk nearly full: {}", left);
    case DiskState::kRoom: return fmt::format("disk has room again: {}", left);
  }
  return std::nullopt;
}

}  // namespace toolway::cli::stack
