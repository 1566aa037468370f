#pragma once

#include <filesystem>

#include "base/seal_keys.h"

namespace toolway::os {

/// The keys of a file that only its owner may write and that its group may read, as a pod's secrets
/// are. Blocks. Errors: kNotFound, kPermissionDenied and
/// kInvalidRequest, with what to do.
Result<SealKeys> read_seal_keys(const std::filesystem::path& path);

/// Makes the file, with one key, if it is not there. Blocks. Errors: kInternal.
Result<void> ensure_seal_keys(const std::filesystem::path& path);

}  // namespace toolway::os
