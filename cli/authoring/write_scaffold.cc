#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "cli/authoring/new_tool.h"

namespace toolway::cli::authoring {
namespace {

Result<void> refused(const std::filesystem::path& path, int error) {
  if (error == EEXIST) {
    return fail(
        ErrorCode::kInvalidRequest,
        fmt::format(
            "{} already exists, and nothing is overwritten: choose another name or directory",
            path.string()));
  }
  return fail(ErrorCode::kInvalidRequest, fmt::format("cannot create {}: {}", path.string(),
                                                      std::generic_category().message(error)));
}

/// A new file: one that already exists is an error.
Result<void> write_new(const NewFile& file) {
  std::error_code made;
  std::filesystem::create_directories(file.path.parent_path(), made);
  if (made) return refused(file.path.parent_path(), made.value());
  const int fd = ::open(file.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return refused(file.path, errno);
  std::size_t done = 0;
  int error = 0;
  while (done < file.text.size() && error == 0) {
    const auto wrote = ::write(fd, file.text.data() + done, file.text.size() - done);
    if (wrote >= 0)
      done += static_cast<std::size_t>(wrote);
    else if (errno != EINTR)
      error = errno;
  }
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error == 0) return {};
  std::error_code ignored;
  std::filesystem::remove(file.path, ignored);
  return refused(file.path, error);
}

}  // namespace

Result<void> write_scaffold(const Scaffold& scaffold) {
  std::vector<std::filesystem::path> written;
  for (const auto& file : scaffold.files) {
    if (auto done = write_new(file); !done) {
      std::error_code ignored;
      for (const auto& path : written) std::filesystem::remove(path, ignored);
      return done;
    }
    written.push_back(file.path);
  }
  return {};
}

}  // namespace toolway::cli::authoring
