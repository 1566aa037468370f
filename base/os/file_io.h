#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>

#include "base/result.h"

namespace toolway::os {

inline constexpr std::size_t kWholeFile = std::numeric_limits<std::size_t>::max();

/// A file's bytes, at most the first `max_bytes` of them: ask for one more than you take to learn
/// that it has more. Also of /proc, whose files have no size. Blocks.
/// Errors: kNotFound, in the system's words.
Result<std::string> read_file(const std::filesystem::path& path,
                              std::size_t max_bytes = kWholeFile);

}  // namespace toolway::os
