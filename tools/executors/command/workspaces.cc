#include "tools/executors/command/workspaces.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/os/child.h"
#include "base/os/file_descriptor.h"
#include "base/sha256.h"

namespace toolway::tools::executors::command {
namespace {

constexpr int kDeepest = 64;
constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

struct Closes {
  void operator()(DIR* directory) const { closedir(directory); }
};

/// What its owner needs to look into a directory, and to use or empty it.
constexpr mode_t kLook = S_IRUSR | S_IXUSR;
constexpr mode_t kWhole = S_IRWXU;

/// What runs as us may have forbidden a directory to itself. By its descriptor: it may also put a
/// link to something else where its name was, at any moment.
void permit(int directory, mode_t needed) {
  struct stat status{};
  if (fstat(directory, &status) != 0 || (status.st_mode & needed) == needed) return;
  const auto mode = (status.st_mode & 07777) | S_IRWXU;
  // A descriptor of O_PATH takes the way through /proc.
  if (fchmod(directory, mode) != 0) chmod(fmt::format("/proc/self/fd/{}", directory).c_str(), mode);
}

/// Opens a directory for what is needed of it; negative: it cannot be opened (errno).
int open_permitted(int parent, const char* name, mode_t needed) {
  int file = openat(parent, name, kOpenDirectory);
  if (file < 0 && errno == EACCES) {
    {
      const os::FileDescriptor place(
          openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (place) permit(place.get(), needed);
    }
    file = openat(parent, name, kOpenDirectory);
  }
  if (file >= 0) permit(file, needed);
  return file;
}

std::unique_ptr<DIR, Closes> open_directory(int parent, const char* name, mode_t needed) {
  const int file = open_permitted(parent, name, needed);
  auto* directory = file < 0 ? nullptr : fdopendir(file);
  if (directory == nullptr && file >= 0) close(file);
  return std::unique_ptr<DIR, Closes>(directory);
}

bool is_dots(const char* name) {
  return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

/// False: stop, it is too much, or it could not be looked at, for the reason in `error` (an errno).
bool add_up(int parent, const char* name, int depth, const DiskUse& most, DiskUse& use,
            int& error) {
  const auto directory = open_directory(parent, name, kLook);
  if (!directory) {
    if (errno != ENOENT) error = errno;
    return errno == ENOENT;
  }
  while (const auto* entry = readdir(directory.get())) {
    if (is_dots(entry->d_name)) continue;
    struct stat status{};
    if (fstatat(dirfd(directory.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    use.bytes += static_cast<std::uint64_t>(status.st_blocks) * 512;
    ++use.files;
    if (use.bytes > most.bytes || use.files > most.files) return false;
    if (S_ISDIR(status.st_mode) &&
        (depth == kDeepest ||
         !add_up(dirfd(directory.get()), entry->d_name, depth + 1, most, use, error))) {
      return false;
    }
  }
  return true;
}

/// Removes what is in a directory. A child that is nested deeper than we go is moved up first.
void remove_contents(int top, int parent, const char* name, int depth) {
  const auto directory = open_directory(parent, name, kWhole);
  if (!directory) return;
  const int here = dirfd(directory.get());
  while (const auto* entry = readdir(directory.get())) {
    if (is_dots(entry->d_name) || unlinkat(here, entry->d_name, 0) == 0) continue;
    if (errno != EISDIR && errno != EPERM && errno != EACCES) continue;
    if (depth < kDeepest) remove_contents(top, here, entry->d_name, depth + 1);
    if (unlinkat(here, entry->d_name, AT_REMOVEDIR) != 0 && depth == kDeepest) {
      static thread_local unsigned moved = 0;
      renameat(here, entry->d_name, top,
               fmt::format(".toolway-deep-{}-{}", getpid(), ++moved).c_str());
    }
  }
}

void clear_directory(int directory) {
  // Each round takes off kDeepest levels; bounded, since a path of n levels took n calls to make.
  permit(directory, kWhole);
  for (int round = 0; round < 1000; ++round) {
    remove_contents(directory, directory, ".", 0);
    const auto left = open_directory(directory, ".", kWhole);
    bool empty = true;
    while (const auto* entry = left ? readdir(left.get()) : nullptr)
      empty = empty && is_dots(entry->d_name);
    if (empty) return;
  }
}

}  // namespace

Workspace::~Workspace() {
  if (lock_) permit(lock_.get(), kWhole);
  // Its change time, which no process in the sandbox can set, is when it was used last.
  if (lock_) futimens(lock_.get(), nullptr);
}

Result<DiskUse> Workspace::use(const DiskUse& most) const {
  permit(lock_.get(), kWhole);
  DiskUse use;
  int error = 0;
  const bool whole = add_up(lock_.get(), ".", 0, most, use, error);
  if (error != 0) {
    return fail(os::is_shortage(error) ? ErrorCode::kOverloaded : ErrorCode::kInternal,
                fmt::format("cannot look into the session's workspace: {}", std::strerror(error)));
  }
  if (!whole && use.bytes <= most.bytes && use.files <= most.files) use.files = most.files + 1;
  return use;
}

void Workspace::clear() const { clear_directory(lock_.get()); }

Result<Workspace> Workspaces::of(const std::string& user, const std::string& session) const {
  const auto name = sha256_hex(fmt::format("{}:{}{}", user.size(), user, session)).substr(0, 32);
  const auto path = (options_.directory / name).string();
  const auto wrong = [&] {
    return fail(os::is_shortage(errno) ? ErrorCode::kOverloaded : ErrorCode::kInternal,
                fmt::format("cannot create a workspace: {}", std::strerror(errno)));
  };
  for (;;) {
    std::error_code error;
    if (mkdir(path.c_str(), 0700) == 0) {
      if (options_.owner && chown(path.c_str(), *options_.owner, *options_.owner) != 0)
        return wrong();
    } else if (errno == ENOENT && std::filesystem::create_directories(options_.directory, error)) {
      chmod(options_.directory.c_str(), 0711);
      continue;
    } else if (errno != EEXIST) {
      return wrong();
    }
    os::FileDescriptor lock(open_permitted(AT_FDCWD, path.c_str(), kWhole));
    if (!lock && errno == ENOENT) continue;
    struct stat locked{};
    struct stat named{};
    if (!lock || flock(lock.get(), LOCK_SH) != 0 || fstat(lock.get(), &locked) != 0) return wrong();
    // It may have been removed before we had the lock.
    if (stat(path.c_str(), &named) == 0 && named.st_ino == locked.st_ino)
      return Workspace(path, std::move(lock));
  }
}

std::size_t Workspaces::remove_idle(std::chrono::seconds idle) const {
  const auto all = open_directory(AT_FDCWD, options_.directory.c_str(), kLook);
  if (!all) return 0;
  std::size_t removed = 0;
  while (const auto* entry = readdir(all.get())) {
    if (entry->d_name[0] == '.') continue;
    const os::FileDescriptor lock(open_permitted(dirfd(all.get()), entry->d_name, kWhole));
    struct stat status{};
    if (!lock || flock(lock.get(), LOCK_EX | LOCK_NB) != 0 || fstat(lock.get(), &status) != 0)
      continue;
    if (std::time(nullptr) - status.st_ctime < idle.count()) continue;
    clear_directory(lock.get());
    if (unlinkat(dirfd(all.get()), entry->d_name, AT_REMOVEDIR) == 0) ++removed;
  }
  return removed;
}

}  // namespace toolway::tools::executors::command
