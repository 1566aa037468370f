#pragma once

#include "extensions/extension_type.h"

namespace toolway::extensions::builtin {

/// Hides parts of results, by JSON Pointer: they read `[secret]`.
ExtensionType redact_type();

}  // namespace toolway::extensions::builtin
