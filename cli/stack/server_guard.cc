#include "cli/stack/server_guard.h"

#include <algorithm>

namespace toolway::cli::stack {

void ServerGuard::add(ServerWatch::Server server, const std::string& directory, Time now) {
  const auto space = local::disk_space(directory);
  auto& disk = disks_[space ? space->device : 0];
  if (!disk) disk = std::make_unique<DiskWatch>(directory);
  watched_.push_back({std::make_unique<ServerWatch>(std::move(server), now), disk.get()});
}

bool ServerGuard::supervise(Time now, const ServerWatch::Say& say) {
  look_at_disks(now, say);
  bool changed = false;
  for (auto& [server, disk] : watched_)
    changed = server->supervise(now, disk->state(), say) || changed;
  return changed;
}

bool ServerGuard::up() const {
  return std::all_of(watched_.begin(), watched_.end(),
                     [](const Watched& watched) { return watched.server->up(); });
}

void ServerGuard::finish() {
  for (auto& watched : watched_) watched.server->finish();
}

void ServerGuard::look_at_disks(Time now, const ServerWatch::Say& say) {
  if (now < next_disks_) return;
  next_disks_ = now + std::chrono::seconds(1);
  for (auto& [device, disk] : disks_) {
    const auto space = local::disk_space(disk->directory());
    if (const auto news = space ? disk->look(*space, now) : std::nullopt) say(*news);
  }
}

}  // namespace toolway::cli::stack
