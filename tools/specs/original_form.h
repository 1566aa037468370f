#pragma once

#include "tools/specs/entry.h"

namespace toolway::tools::specs {

/// The form of specs that the first design of this project had (docs/specs.md): it has
/// `tool_type` instead of `kind`.
bool is_original_form(const Located& map);

/// Turns the fields of that form into those of today's, at the same lines. Reports what
/// cannot be turned, above all command lines that need a shell.
void from_original_form(Entry& entry, Mistakes& mistakes);

}  // namespace toolway::tools::specs
