#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace toolway::tools::specs {

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

/// A file that a spec file names, in the version that was read.
struct NamedFile {
  std::string path;
  FileStamp stamp{};
  bool operator==(const NamedFile&) const = default;
};

struct NamedContent {
  NamedFile file;
  Result<std::string> bytes = std::string();  ///< or why it is refused
};

/// Reads the file that the spec file `origin` names, as `loaders::read_named_content` does.
using ReadContent = std::function<NamedContent(std::string_view origin, std::string_view named)>;

}  // namespace toolway::tools::specs
