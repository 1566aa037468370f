#include "tests/power_cut/disk/disk.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace toolway::test::disk {

std::unique_ptr<OpenFile> Disk::open(const char* path, int flags, mode_t mode, int& error) {
  struct stat found{};
  const bool fresh =
      (flags & O_CREAT) != 0 && fstatat(directory_, path, &found, AT_SYMLINK_NOFOLLOW) != 0;
  const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0;
  auto opened = std::make_unique<OpenFile>();
  // What is overwritten is read before; and offsets are always given, so O_APPEND is not for us.
  const int kept = flags & (O_CREAT | O_EXCL | O_NOFOLLOW);
  opened->file = openat(directory_, path, kept | O_CLOEXEC | (writes ? O_RDWR : O_RDONLY), mode);
  if (opened->file < 0 || fstat(opened->file, &found) != 0) {
    error = -errno;
    return nullptr;
  }
  opened->period = period_;
  opened->syncs_each_write = (flags & (O_SYNC | O_DSYNC)) != 0;
  auto& log = logs_[found.st_ino];
  if (!log) log = std::make_shared<UndoLog>(fresh ? 0 : found.st_size);
  opened->undo = log;
  if ((flags & O_TRUNC) != 0) error = truncate(*opened, 0);
  return opened;
}

int Disk::truncate(OpenFile& open, off_t size) {
  if (const int error = open.undo->before_truncate(open.file, size)) return error;
  return ftruncate(open.file, size) == 0 ? 0 : -errno;
}

ssize_t Disk::write(OpenFile& open, const char* data, std::size_t size, off_t offset) {
  if (const int error = open.undo->before_write(open.file, offset, size)) return error;
  const auto written = pwrite(open.file, data, size, offset);
  if (written < 0) return -errno;
  if (open.syncs_each_write)
    if (const int error = sync(open)) return error;
  return written;
}

int Disk::allocate(OpenFile& open, int mode, off_t offset, off_t size) {
  if (const int error = open.undo->before_write(open.file, offset, static_cast<std::size_t>(size)))
    return error;
  return fallocate(open.file, mode, offset, size) == 0 ? 0 : -errno;
}

int Disk::sync(OpenFile& open) { return open.undo->synced(open.file); }

void Disk::forget(const char* path) {
  struct stat found{};
  if (fstatat(directory_, path, &found, AT_SYMLINK_NOFOLLOW) == 0 && found.st_nlink == 1)
    logs_.erase(found.st_ino);
}

void Disk::sync_all() {
  visit_files(".", [](UndoLog& log, int file) { return log.synced(file); });
}

void Disk::cut_power() {
  has_power_ = false;
  ++period_;
  visit_files(".", [](UndoLog& log, int file) { return log.undo(file); });
  logs_.clear();
}

void Disk::visit_files(const std::string& directory, const Visit& visit) {
  const int here = openat(directory_, directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* entries = here < 0 ? nullptr : fdopendir(here);
  if (entries == nullptr) return;
  while (const auto* entry = readdir(entries)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    const auto path = directory + "/" + name;
    // The name that libfuse gives to an open file without one, which goes with the power.
    if (!has_power_ && name.starts_with(".fuse_hidden"))
      (void)unlinkat(directory_, path.c_str(), 0);
    struct stat found{};
    if (fstatat(directory_, path.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISDIR(found.st_mode)) visit_files(path, visit);
    const auto log = S_ISREG(found.st_mode) ? logs_.find(found.st_ino) : logs_.end();
    if (log == logs_.end()) continue;
    const int file = openat(directory_, path.c_str(), O_RDWR | O_CLOEXEC);
    const auto changed = file < 0 ? -errno : visit(*log->second, file);
    if (file >= 0) close(file);
    if (changed < 0)
      std::printf("FAILED: %s: %s\n", path.c_str(), std::strerror(static_cast<int>(-changed)));
    if (changed > 0) std::printf("lost %zd bytes: %s\n", changed, path.c_str());
  }
  closedir(entries);
  std::fflush(stdout);
}

}  // namespace toolway::test::disk
