#include "base/os/file_io.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/os/file_descriptor.h"

namespace toolway::os {

Result<std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes) {
  // Most files are small, and some are read often.
  constexpr std::size_t kFirstStep = 4 * 1024;
  constexpr std::size_t kMaxStep = 64 * 1024;
  const auto failed = [&path] {
    return fail(ErrorCode::kNotFound,
                fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  };
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return failed();
  std::string text;
  while (text.size() < max_bytes) {
    const std::size_t before = text.size();
    const auto step = std::clamp(before, kFirstStep, kMaxStep);
    text.resize(before + std::min(step, max_bytes - before));
    const auto length = read(file.get(), text.data() + before, text.size() - before);
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) return failed();
    if (length == 0) break;
  }
  return text;
}

Result<void> write_whole_file(const std::filesystem::path& path, std::string_view text) {
  const auto fresh = fmt::format("{}.{}.new", path.string(), getpid());
  const auto failed = [&] {
    return fail(ErrorCode::kInternal,
                fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  };
  const int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return failed();
  const bool written =
      write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(fd) == 0;
  if (close(fd) != 0 || !written || std::rename(fresh.c_str(), path.c_str()) != 0) return failed();
  // The name as well: of a file system that was cut off, the directory has its own time.
  const auto directory = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const FileDescriptor parent(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.get() >= 0) fsync(parent.get());
  return {};
}

Result<std::string> make_temporary_directory(std::string_view prefix) {
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  auto path = (parent / fmt::format("{}-XXXXXX", prefix)).string();
  if (error || mkdtemp(path.data()) == nullptr)
    return fail(ErrorCode::kInternal, fmt::format("cannot create a temporary directory: {}",
                                                  error ? error.message() : std::strerror(errno)));
  return path;
}

}  // namespace toolway::os
