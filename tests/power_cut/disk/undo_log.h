#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <string>

namespace toolway::test::disk {

/// What of one file has not been synced: the blocks that were overwritten or cut off since, as they
/// were, and the size it had. So a sync costs nothing, and appending keeps nothing. All offsets and
/// sizes are bytes; `file` is open for reading and writing. Errors are those of the system,
/// negative, and 0 is success. One thread.
class UndoLog {
 public:
  explicit UndoLog(off_t synced_size) : synced_size_(synced_size) {}

  /// Call it before bytes change.
  int before_write(int file, off_t offset, std::size_t size);
  /// Call it before the file gets another size, if that one is smaller.
  int before_truncate(int file, off_t size);
  /// What the file holds now survives.
  int synced(int file);
  /// Takes everything back that came after the last sync.
  /// @returns how many bytes that changes, or an error
  ssize_t undo(int file);

 private:
  off_t synced_size_;
  std::map<off_t, std::string> blocks_;  ///< by their number
};

}  // namespace toolway::test::disk
