#pragma once

#include "extensions/extension_type.h"

namespace toolway::extensions::builtin {

/// Why a call is held that no rule names.
inline constexpr std::string_view kRequiresApproval = "requires_approval";

ExtensionType approval_type();

}  // namespace toolway::extensions::builtin
