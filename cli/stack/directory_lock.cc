#include "cli/stack/directory_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <string>

#include "local/leftover.h"

namespace toolway::cli::stack {

DirectoryLock::~DirectoryLock() {
  if (fd_ >= 0) close(fd_);
}

Result<void> DirectoryLock::take(const std::filesystem::path& file) {
  fd_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd_ < 0)
    return fail(ErrorCode::kInvalidRequest, fmt::format("cannot open {}", file.string()));
  if (flock(fd_, LOCK_EX | LOCK_NB) != 0)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("{} is in use by another toolway dev (pid {}); stop that one, or "
                            "choose another directory with --data",
                            file.parent_path().string(), local::read_pid(file.string())));
  const auto pid = std::to_string(getpid()) + "\n";
  if (ftruncate(fd_, 0) != 0 || write(fd_, pid.data(), pid.size()) < 0)
    return fail(ErrorCode::kInternal, fmt::format("cannot write {}", file.string()));
  return {};
}

}  // namespace toolway::cli::stack
