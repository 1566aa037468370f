#pragma once

#include <string>

#include "base/result.h"
#include "tools/model/kind_types.h"

namespace toolway::tools::builtin {

/// Whether this build could offer the spec that was stored as `document`, perhaps long ago. Errors:
/// kInvalidSpec, saying why not.
Result<void> check_stored_version(const std::string& document, const model::KindTypes& kinds);

}  // namespace toolway::tools::builtin
