#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"

namespace toolway::os {

/// By which a file is known to be the same as before: another in its place, a write and a chmod
/// change it.
struct FileStamp {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const FileStamp&) const = default;
};

/// Through symlinks. Nothing: it cannot be looked at.
std::optional<FileStamp> stamp_of(const std::filesystem::path& path);

/// Who may read a file besides its owner; no one else may write it.
enum class Readers { kNone, kGroup };

/// The text of a file that only its owner may write, and only `readers` and its owner may read, at
/// most `max_bytes` of it. Blocks. Errors: kNotFound, in the system's words; kPermissionDenied when
/// others may, naming its mode and what to do.
Result<std::string> read_private_file(const std::filesystem::path& path, std::size_t max_bytes,
                                      Readers readers = Readers::kNone);

}  // namespace toolway::os
