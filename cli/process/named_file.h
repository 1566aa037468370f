#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace toolway::cli::process {

/// A file that an option or argument names. Errors: kInvalidRequest, since the option is wrong
/// then, in the system's words.
Result<std::string> read_named_file(const std::filesystem::path& path);

}  // namespace toolway::cli::process
