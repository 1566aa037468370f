#pragma once

#include "base/clock.h"
#include "cli/process/environment.h"

namespace toolway::cli {

/// The whole program: parses the command line, runs the verb, returns the exit status.
int run(int argc, char** argv, const process::Environment& environment, const Clock& clock);

}  // namespace toolway::cli
