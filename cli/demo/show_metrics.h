#pragma once

#include "base/json.h"
#include "cli/demo/tour.h"

namespace toolway::cli::demo {

/// A step of the demo: some figures of each role. `urls`: those of the pages, by role.
void show_metrics(Tour& tour, const OrderedJson& urls);

}  // namespace toolway::cli::demo
