#pragma once

#include "chat/providers/configuration.h"

namespace toolway::chat::providers {

/// The settings, and what their files say: those of keys, and the one that `config_file` names.
/// What the environment says wins. Blocks. Errors: kInvalidRequest (a file that cannot be read or
/// has no key; what is wrong in the configuration, by line).
Result<ProviderSettings> with_files(ProviderSettings settings);

}  // namespace toolway::chat::providers
