#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "tests/power_cut/disk/undo_log.h"

namespace toolway::test::disk {

/// A file as one `open` sees it.
struct OpenFile {
  int file = -1;
  std::shared_ptr<UndoLog> undo;
  bool syncs_each_write = false;  ///< O_SYNC, O_DSYNC
  std::uint64_t period = 0;       ///< of power in which it was opened
};

/// The files below a directory, and what of them a power cut would take. Names, rights and times
/// survive at once, as with a journal; a file's bytes and size survive when it is synced, and a
/// file that never was is empty then. One thread.
class Disk {
 public:
  /// @param directory open; it must not be used by others
  explicit Disk(int directory) : directory_(directory) {}

  int directory() const { return directory_; }
  bool has_power() const { return has_power_; }
  bool usable(const OpenFile& open) const { return has_power_ && open.period == period_; }

  /// @param flags as for open(2); `mode` is for a new file
  /// @returns null and errno in `error` when it cannot be opened
  std::unique_ptr<OpenFile> open(const char* path, int flags, mode_t mode, int& error);
  int truncate(OpenFile& open, off_t size);
  /// @returns bytes, or an error
  ssize_t write(OpenFile& open, const char* data, std::size_t size, off_t offset);
  int allocate(OpenFile& open, int mode, off_t offset, off_t size);
  int sync(OpenFile& open);
  /// Call it before a name goes away or gets another file.
  void forget(const char* path);

  /// All of it, as the kernel does sooner or later.
  void sync_all();
  /// Drops all that is not synced, and says on standard output what. What is open then stays
  /// unusable.
  void cut_power();
  void restore_power() { has_power_ = true; }

 private:
  using Visit = std::function<ssize_t(UndoLog&, int file)>;
  /// Every file with a log, and says what fails, and for how many bytes `visit` changed something.
  void visit_files(const std::string& directory, const Visit& visit);

  int directory_;
  bool has_power_ = true;
  std::uint64_t period_ = 0;
  std::map<ino_t, std::shared_ptr<UndoLog>> logs_;  ///< of files that were open for writing
};

}  // namespace toolway::test::disk
