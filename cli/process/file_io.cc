#include "cli/process/file_io.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace toolway::cli::process {

Result<void> write_whole_file(const std::filesystem::path& path, const std::string& text) {
  const auto fresh = fmt::format("{}.{}.new", path.string(), getpid());
  const auto failed = [&] {
    return fail(ErrorCode::kInternal,
                fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  };
  const int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return failed();
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (close(fd) != 0 || !written || std::rename(fresh.c_str(), path.c_str()) != 0) return failed();
  return {};
}

Result<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

}  // namespace toolway::cli::process
