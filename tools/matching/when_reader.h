#pragma once

#include "base/mistake.h"
#include "tools/matching/when.h"
#include "tools/specs/located.h"

namespace toolway::tools::matching {

/// Reads `when: {arguments, pointers, schema}`; what is wrong goes to `mistakes`. Pure.
When read_when(const specs::Located& map, Mistakes& mistakes);

}  // namespace toolway::tools::matching
