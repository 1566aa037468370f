#pragma once

#include "extensions/extension_type.h"

namespace toolway::extensions::builtin {

/// Refuses the calls that rules say to refuse: the first rule about a call that refuses or allows
/// decides.
ExtensionType refuse_type();

}  // namespace toolway::extensions::builtin
