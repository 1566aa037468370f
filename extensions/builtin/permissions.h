#pragma once

#include "extensions/extension_type.h"
#include "extensions/grants.h"

namespace toolway::extensions::builtin {

/// Lets callers call what their roles grant, and nothing else.
ExtensionType permissions_type();

/// Why a caller may not call a tool, which these grants do not let it call.
Error not_granted(const tools::model::Spec& spec, const Grants& grants);

}  // namespace toolway::extensions::builtin
