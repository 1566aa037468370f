#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace toolway::cli::process {

/// Writes `text` for our own eyes only (0600), and atomically: a reader sees the old file
/// or the new one.
Result<void> write_whole_file(const std::filesystem::path& path, const std::string& text);

Result<std::string> read_file(const std::filesystem::path& path);

}  // namespace toolway::cli::process
