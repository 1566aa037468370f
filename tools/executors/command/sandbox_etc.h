#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace toolway::tools {

/// Writes below `directory` what sandboxes see as /etc, with network and without:
/// copies of the few files that programs and libraries look for (linker cache,
/// certificates, names of services), none of the secrets that are there too, and a
/// user `sandbox`. Several processes may do so at once. Errors: kInternal.
Result<void> write_sandbox_etc(const std::filesystem::path& directory);

/// Which of them a sandbox sees.
std::string etc_directory(const std::filesystem::path& directory, bool network);

}  // namespace toolway::tools
