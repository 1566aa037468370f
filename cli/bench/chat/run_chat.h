#pragma once

#include "base/result.h"
#include "cli/bench/options/options.h"
#include "cli/process/stop_signals.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/style.h"

namespace toolway::cli::bench::chat {

/// `toolway bench --chat`: measures the chat engine on a stack of its own, and prints each figure
/// next to its target. The exit status: 0 when all hold.
Result<int> run_chat_bench(const options::BenchOptions& options, process::StopSignals& signals,
                           const terminal::ProgressLine& line, const terminal::Style& style);

}  // namespace toolway::cli::bench::chat
