#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/builtin/root_directory.h"

namespace toolway::tools::builtin {

enum class EntryType { file, directory, symlink, other };

struct DirectoryEntry {
  std::string name;
  EntryType type = EntryType::other;
  std::int64_t size = 0;      ///< bytes, of files
  std::int64_t modified = 0;  ///< seconds since the epoch
};

/// What an open directory holds, sorted by name, without `.` and `..`. Symlinks
/// are not followed. Errors: kInternal.
Result<std::vector<DirectoryEntry>> directory_entries(const Descriptor& directory);

}  // namespace toolway::tools::builtin
