#pragma once

#include "base/result.h"
#include "cli/process/stop_signals.h"
#include "tests/chaos/options.h"

namespace toolway::chaos {

/// A whole run: stack, storm, quiet, judgement, report on standard output. Returns the exit status:
/// 0 when all held, 1 when something did not. Errors: the stack cannot be started, or a signal
/// came.
Result<int> run_campaign(Options options, cli::process::StopSignals& signals);

}  // namespace toolway::chaos
