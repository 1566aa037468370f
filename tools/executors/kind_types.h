#pragma once

#include "tools/model/kind_types.h"

namespace toolway::tools::executors {

/// The kinds of this build; native is the first. Thread-safe.
const model::KindTypes& kind_types();

}  // namespace toolway::tools::executors
