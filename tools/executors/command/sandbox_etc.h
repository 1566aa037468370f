#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace toolway::tools::executors::command {

/// Writes below `directory` what sandboxes see as /etc: copies of the few files that programs and
/// libraries look for (linker cache, certificates, names of services), none of the secrets that are
/// there too, and a user `sandbox`. Several processes may do so at once. Errors: kInternal.
Result<void> write_sandbox_etc(const std::filesystem::path& directory);

/// bubblewrap's arguments that show it, and of this machine's certificates and
/// alternatives, and with network the name servers.
std::vector<std::string> etc_arguments(const std::filesystem::path& directory, bool network);

}  // namespace toolway::tools::executors::command
