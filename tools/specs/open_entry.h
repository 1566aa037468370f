#pragma once

#include "tools/specs/entry.h"

namespace toolway::tools::specs {

/// Reports what is in both places, or cannot be in `metadata`, and what is wrong with the
/// original design's form (original_form.h), when the entry is in that one.
Entry open_entry(const Located& map, Mistakes& mistakes);

}  // namespace toolway::tools::specs
