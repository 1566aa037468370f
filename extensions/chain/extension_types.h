#pragma once

#include <span>

#include "extensions/extension_type.h"

namespace toolway::extensions::chain {

/// The extensions of this build, in a fixed order. Thread-safe.
std::span<const ExtensionType> extension_types();

}  // namespace toolway::extensions::chain
