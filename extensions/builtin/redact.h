#pragma once

#include "extensions/extension_type.h"

namespace toolway::extensions::builtin {

/// Hides parts of results, by JSON Pointer: they read `[secret]`.
ExtensionType redact_type();

/// Hides what a JSON Pointer leads to from `value` on; `*` in it is each member or item.
void hide(Json& value, std::string_view pointer);

}  // namespace toolway::extensions::builtin
