#include "tools/builtin/root_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/json.h"
#include "base/try.h"

namespace toolway::tools::builtin {
namespace {

int openat2(int directory, const char* path, int flags) {
  open_how how{};
  how.flags = static_cast<__u64>(flags) | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  // EAGAIN: something was renamed during the lookup and `..` could not be checked.
  for (int attempt = 0; attempt < 16; ++attempt) {
    const auto fd = static_cast<int>(::syscall(SYS_openat2, directory, path, &how, sizeof how));
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) return fd;
  }
  return -1;
}

/// A path's components with `.` and `..` worked out; nothing when it climbs above
/// where it began. Exact only where no component is a symlink.
bool split(const std::string& path, std::vector<std::string>& components) {
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string name = path.substr(begin, end - begin);
    if (name == "..") {
      if (components.empty()) return false;
      components.pop_back();
    } else if (!name.empty() && name != ".") {
      components.push_back(name);
    }
    begin = end + 1;
  }
  return true;
}

std::string shown(const std::string& path) { return to_text(Json(path.substr(0, 300))); }

tl::unexpected<Error> refuse(const std::string& path, int error) {
  switch (error) {
    case EXDEV:
      return fail(ErrorCode::kPermissionDenied,
                  fmt::format("path {} leaves the root directory", shown(path)));
    case ELOOP:
      return fail(
          ErrorCode::kPermissionDenied,
          fmt::format("path {} goes through a symbolic link that is not followed", shown(path)));
    case EACCES:
    case EPERM:
      return fail(ErrorCode::kPermissionDenied,
                  fmt::format("no permission to read path {}", shown(path)));
    case ENOENT: return fail(ErrorCode::kNotFound, fmt::format("{} does not exist", shown(path)));
    case ENOTDIR:
      return fail(ErrorCode::kInvalidArguments, fmt::format("{} is not a directory", shown(path)));
    case ENAMETOOLONG:
      return fail(ErrorCode::kInvalidArguments, fmt::format("path {} is too long", shown(path)));
    default:
      return fail(ErrorCode::kInternal,
                  fmt::format("cannot open {}: {}", shown(path), std::strerror(error)));
  }
}

bool is_regular(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Result<std::shared_ptr<const RootDirectory>> RootDirectory::open(
    const std::filesystem::path& path) {
  const Descriptor probe(openat2(AT_FDCWD, ".", O_PATH | O_DIRECTORY));
  return open(path, probe ? Confinement::kKernel : Confinement::kStepByStep);
}

Result<std::shared_ptr<const RootDirectory>> RootDirectory::open(const std::filesystem::path& path,
                                                                 Confinement confinement) {
  Descriptor root(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) {
    return fail(ErrorCode::kNotFound,
                fmt::format("root directory '{}': {}", path.string(), std::strerror(errno)));
  }
  return std::shared_ptr<const RootDirectory>(new RootDirectory(std::move(root), confinement));
}

int RootDirectory::open_beneath(const std::string& path, int flags) const {
  return openat2(root_.get(), path.c_str(), flags);
}

int RootDirectory::open_stepwise(const std::string& path, int flags) const {
  std::vector<std::string> components;
  if (!split(path, components)) {
    errno = EXDEV;
    return -1;
  }
  Descriptor at(::openat(root_.get(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (std::size_t i = 0; at && i + 1 < components.size(); ++i) {
    // A symlink here is not a directory (ENOTDIR), since it is not followed.
    Descriptor next(
        ::openat(at.get(), components[i].c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next && errno == ENOTDIR) {
      struct stat status{};
      const bool link =
          ::fstatat(at.get(), components[i].c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
          S_ISLNK(status.st_mode);
      errno = link ? ELOOP : ENOTDIR;
      return -1;
    }
    at = std::move(next);
  }
  if (!at) return -1;
  const char* last = components.empty() ? "." : components.back().c_str();
  Descriptor opened(::openat(at.get(), last, flags | O_NOFOLLOW | O_CLOEXEC));
  if (!opened) {
    struct stat status{};
    const int error = errno;
    const bool link =
        ::fstatat(at.get(), last, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
    errno = link ? ELOOP : error;
    return -1;
  }
  // O_PATH opens the link itself rather than refusing it.
  struct stat status{};
  if (::fstat(opened.get(), &status) == 0 && S_ISLNK(status.st_mode)) {
    errno = ELOOP;
    return -1;
  }
  return opened.release();
}

Result<Descriptor> RootDirectory::resolve(const std::string& path, int flags) const {
  if (path.find('\0') != std::string::npos) {
    return fail(ErrorCode::kInvalidArguments, "a path cannot contain a NUL byte");
  }
  if (path.empty()) return fail(ErrorCode::kInvalidArguments, "the path is empty");
  if (path.front() == '/') return refuse(path, EXDEV);
  Descriptor fd(confinement_ == Confinement::kKernel ? open_beneath(path, flags)
                                                     : open_stepwise(path, flags));
  if (!fd) return refuse(path, errno);
  return fd;
}

Result<Descriptor> RootDirectory::open_file(const std::string& path) const {
  // First only a reference: opening a device or FIFO for reading has effects.
  ASSIGN_OR_RETURN(auto reference, resolve(path, O_PATH));
  struct stat status{};
  if (::fstat(reference.get(), &status) != 0) return refuse(path, errno);
  if (S_ISDIR(status.st_mode)) {
    return fail(ErrorCode::kInvalidArguments, fmt::format("{} is a directory", shown(path)));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::kInvalidArguments, fmt::format("{} is not a regular file", shown(path)));
  }
  // It may be another file by now: O_NONBLOCK never waits, and the type is checked again.
  auto file = resolve(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (file && !is_regular(file->get())) {
    return fail(ErrorCode::kInvalidArguments, fmt::format("{} is not a regular file", shown(path)));
  }
  return file;
}

Result<Descriptor> RootDirectory::open_directory(const std::string& path) const {
  return resolve(path, O_RDONLY | O_DIRECTORY);
}

Descriptor open_regular_at(int directory, const std::string& name) {
  struct stat status{};
  if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(status.st_mode)) {
    return {};
  }
  Descriptor file(
      ::openat(directory, name.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC));
  return file && is_regular(file.get()) ? std::move(file) : Descriptor();
}

}  // namespace toolway::tools::builtin
