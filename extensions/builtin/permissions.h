#pragma once

#include "extensions/extension_type.h"

namespace toolway::extensions::builtin {

/// Lets callers call what their roles grant, and nothing else.
ExtensionType permissions_type();

/// Why a caller may not call a tool. `grants` is not null.
Error not_granted(const tools::model::Spec& spec);

}  // namespace toolway::extensions::builtin
