#include "base/os/private_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/os/file_io.h"

namespace toolway::os {

std::optional<FileStamp> stamp_of(const std::filesystem::path& path) {
  struct stat found{};
  if (stat(path.c_str(), &found) != 0) return std::nullopt;
  constexpr std::int64_t kSecond = 1'000'000'000;
  return FileStamp{.device = found.st_dev,
                   .inode = found.st_ino,
                   .size = found.st_size,
                   .changed_ns = found.st_ctim.tv_sec * kSecond + found.st_ctim.tv_nsec};
}

Result<std::string> read_private_file(const std::filesystem::path& path, std::size_t max_bytes,
                                      Readers readers) {
  struct stat found{};
  if (stat(path.c_str(), &found) != 0)
    return fail(ErrorCode::kNotFound,
                fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  mode_t others = S_IRWXG | S_IRWXO;
  if (readers == Readers::kGroup) others &= ~static_cast<mode_t>(S_IRGRP);
  if ((found.st_mode & others) != 0)
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{} has mode {:04o}, so other users of this machine can use it: run "
                            "`chmod 600 {}`",
                            path.string(), found.st_mode & 07777U, path.string()));
  return read_file(path, max_bytes);
}

}  // namespace toolway::os
