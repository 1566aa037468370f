#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace toolway::tools::loaders {

/// What tells one version of a file from another, without reading it. A path
/// that leads elsewhere (a swapped symlink) is another version too.
struct FileStamp {
  bool exists = false;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const FileStamp&) const = default;
};
FileStamp stamp_of(const std::filesystem::path& path);

/// The spec files that `path` means: itself, or, of a directory, its *.yaml,
/// *.yml and *.json, sorted by name; not those that begin with a dot, nor those
/// of directories in it. Errors: kNotFound, also for a directory that cannot be read.
Result<std::vector<std::filesystem::path>> list_spec_files(const std::filesystem::path& path);

/// The text of a spec file. Errors: kNotFound (cannot be read, not a regular file),
/// kPayloadTooLarge.
Result<std::string> read_spec_file(const std::filesystem::path& path);

}  // namespace toolway::tools::loaders
