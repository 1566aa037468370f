#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

#include "base/result.h"

namespace toolway::os {

inline constexpr std::size_t kWholeFile = std::numeric_limits<std::size_t>::max();

/// A file's bytes, at most the first `max_bytes` of them: ask for one more than you take to learn
/// that it has more. Also of /proc, whose files have no size. Blocks.
/// Errors: kNotFound, in the system's words.
Result<std::string> read_file(const std::filesystem::path& path,
                              std::size_t max_bytes = kWholeFile);

/// Writes `text` for our own eyes only (0600), and atomically: a reader sees the old file or the
/// new one, and after a power cut it is the one or the other. Blocks. Errors: kInternal, in the
/// system's words.
Result<void> write_whole_file(const std::filesystem::path& path, std::string_view text);

/// A new directory among the system's temporary ones, which only we may enter (0700); its name
/// begins with `prefix`. Errors: kInternal, in the system's words.
Result<std::string> make_temporary_directory(std::string_view prefix);

}  // namespace toolway::os
