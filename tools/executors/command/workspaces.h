#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <sys/types.h>

#include "base/os/file_descriptor.h"
#include "base/result.h"

namespace toolway::tools::executors::command {

/// How much there is below a directory.
struct DiskUse {
  std::uint64_t bytes = 0;  ///< as stored
  std::uint64_t files = 0;  ///< and directories and links
};

struct WorkspaceOptions {
  std::filesystem::path directory;  ///< below it, one directory per session
  std::optional<uid_t> owner{};     ///< whom commands run as, if not us
  DiskUse most{.bytes = 1UL << 30, .files = 20'000};
};

/// A workspace in use; it is not removed as long as this lives.
class Workspace {
 public:
  Workspace(std::string path, os::FileDescriptor lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  ~Workspace();
  Workspace(Workspace&&) = default;
  const std::string& path() const { return path_; }
  /// Reads all of it, links not followed, at most a little beyond `most`; what is nested too deeply
  /// counts as too much. What a command forbade to itself is permitted again. Errors: kOverloaded
  /// (the system has no descriptor left to look with), kInternal (it cannot be read).
  Result<DiskUse> use(const DiskUse& most) const;
  /// Removes what is in it.
  void clear() const;

 private:
  std::string path_;
  os::FileDescriptor lock_;  // a shared flock on the directory
};

/// The directories that last for a session, each named by a hash of user and
/// session, so that nothing a client wrote is part of a path. Several processes may
/// share them: a process that uses one holds a lock. Thread-safe.
class Workspaces {
 public:
  explicit Workspaces(WorkspaceOptions options) : options_(std::move(options)) {}
  const WorkspaceOptions& options() const { return options_; }

  /// The session's workspace, made when there is none. Errors: kInternal, kOverloaded.
  Result<Workspace> of(const std::string& user, const std::string& session) const;

  /// Removes those that have been unused for `idle`; returns how many.
  std::size_t remove_idle(std::chrono::seconds idle) const;

 private:
  const WorkspaceOptions options_;
};

}  // namespace toolway::tools::executors::command
