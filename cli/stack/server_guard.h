#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/stack/disk_watch.h"
#include "cli/stack/server_watch.h"

namespace toolway::cli::stack {

/// The servers of a stack and the disks that they write to. For one thread.
class ServerGuard {
 public:
  using Time = ServerWatch::Time;

  /// `directory`: where the server keeps its data. Two directories on one disk are one disk to
  /// people.
  void add(ServerWatch::Server server, const std::string& directory, Time now);
  /// Looks at each once. Returns whether one has just come back.
  bool supervise(Time now, const ServerWatch::Say& say);
  /// Whether all run, as far as they were seen.
  bool up() const;
  /// Waits for restarts in progress, which end soon once their servers have been stopped.
  void finish();

 private:
  struct Watched {
    std::unique_ptr<ServerWatch> server;
    DiskWatch* disk;
  };
  void look_at_disks(Time now, const ServerWatch::Say& say);

  std::map<std::uint64_t, std::unique_ptr<DiskWatch>> disks_;  ///< by device
  Time next_disks_{};
  std::vector<Watched> watched_;
};

}  // namespace toolway::cli::stack
