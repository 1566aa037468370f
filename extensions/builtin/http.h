#pragma once

#include "extensions/extension_type.h"

namespace toolway::extensions::builtin {

/// Has services asked about calls, before they run or after: it names them, and a gateway or worker
/// asks.
ExtensionType http_type();

}  // namespace toolway::extensions::builtin
