#include "tests/power_cut/disk/undo_log.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace toolway::test::disk {
namespace {

constexpr off_t kBlock = 4096;

/// @returns bytes; fewer at the end of the file, or an error
ssize_t read_at(int file, off_t offset, std::string& into) {
  const auto got = pread(file, into.data(), into.size(), offset);
  return got < 0 ? -errno : got;
}

}  // namespace

int UndoLog::before_write(int file, off_t offset, std::size_t size) {
  if (size == 0) return 0;
  const auto end = std::min<off_t>(offset + static_cast<off_t>(size), synced_size_);
  for (off_t number = offset / kBlock; number * kBlock < end; ++number) {
    if (blocks_.contains(number)) continue;
    const auto first = number * kBlock;
    std::string block(static_cast<std::size_t>(std::min(kBlock, synced_size_ - first)), '\0');
    if (const auto got = read_at(file, first, block); got < 0) return static_cast<int>(got);
    blocks_.emplace(number, std::move(block));
  }
  return 0;
}

int UndoLog::before_truncate(int file, off_t size) {
  if (size >= synced_size_) return 0;
  return before_write(file, size, static_cast<std::size_t>(synced_size_ - size));
}

int UndoLog::synced(int file) {
  struct stat found{};
  if (fstat(file, &found) != 0) return -errno;
  synced_size_ = found.st_size;
  blocks_.clear();
  return 0;
}

ssize_t UndoLog::undo(int file) {
  struct stat found{};
  if (fstat(file, &found) != 0) return -errno;
  ssize_t changed = std::max<off_t>(found.st_size - synced_size_, 0);
  for (const auto& [number, block] : blocks_) {
    std::string now(block.size(), '\0');
    const auto got = read_at(file, number * kBlock, now);
    if (got < 0) return got;
    if (got == static_cast<ssize_t>(block.size()) && now == block) continue;
    changed += static_cast<ssize_t>(block.size());
    if (pwrite(file, block.data(), block.size(), number * kBlock) !=
        static_cast<ssize_t>(block.size()))
      return -EIO;
  }
  if (ftruncate(file, synced_size_) != 0) return -errno;
  blocks_.clear();
  return changed;
}

}  // namespace toolway::test::disk
