#pragma once

#include <string>

#include "cli/demo/tour.h"

namespace toolway::cli::demo {

/// A step of the demo: a call that waits until another user has approved it. `url`: of the gateway.
void show_held_call(Tour& tour, const std::string& url);

}  // namespace toolway::cli::demo
