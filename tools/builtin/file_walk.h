#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/builtin/root_directory.h"

namespace toolway::tools::builtin {

struct FileList {
  std::vector<std::string> paths;  ///< relative to the root, sorted within each directory
  bool complete = true;            ///< false: more than kMaxFiles, or deeper than kMaxDepth
};

inline constexpr std::size_t kMaxFiles = 100000;
inline constexpr int kMaxDepth = 64;

/// The regular files at and below `path` that `wanted` says yes to. Symlinks are
/// not followed, so there are no loops. Stops early when cancelled. Errors: as `RootDirectory`.
Result<FileList> files_below(const RootDirectory& root, const std::string& path,
                             const std::function<bool(const std::string&)>& wanted,
                             const std::stop_token& cancelled);

}  // namespace toolway::tools::builtin
