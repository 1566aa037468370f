#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"

namespace toolway::tools::builtin {

/// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// How paths are kept inside the root.
enum class Confinement {
  kKernel,      ///< openat2(2) with RESOLVE_BENEATH: symlinks that stay inside are followed
  kStepByStep,  ///< kernels without it: one component at a time, no symlink is followed
};

/// A directory, and what is below it: nothing else can be reached, whatever a path
/// says and whatever is renamed at the same time, since the kernel resolves each path
/// from an open directory. Thread-safe.
class RootDirectory {
 public:
  /// Probes what the kernel can do. Errors: kNotFound when `path` is not a directory.
  static Result<std::shared_ptr<const RootDirectory>> open(const std::filesystem::path& path);
  static Result<std::shared_ptr<const RootDirectory>> open(const std::filesystem::path& path,
                                                           Confinement confinement);

  /// Opens for reading. Only regular files: a FIFO or device is neither waited
  /// for nor touched. Errors: kPermissionDenied (leaves the root, or the system
  /// says so), kNotFound, kInvalidArguments (not a file, a NUL in the path).
  Result<Descriptor> open_file(const std::string& path) const;
  /// The same for a directory.
  Result<Descriptor> open_directory(const std::string& path) const;

  Confinement confinement() const { return confinement_; }

 private:
  RootDirectory(Descriptor root, Confinement confinement)
      : root_(std::move(root)), confinement_(confinement) {}
  Result<Descriptor> resolve(const std::string& path, int flags) const;
  int open_beneath(const std::string& path, int flags) const;
  int open_stepwise(const std::string& path, int flags) const;

  Descriptor root_;
  Confinement confinement_;
};

/// Opens the regular file `name` of an open directory; no symlink is followed.
/// Nothing when it is something else or cannot be read.
Descriptor open_regular_at(int directory, const std::string& name);

}  // namespace toolway::tools::builtin
