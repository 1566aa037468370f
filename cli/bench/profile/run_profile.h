#pragma once

#include "base/result.h"
#include "cli/bench/kinds/kinds.h"
#include "cli/bench/options/options.h"
#include "cli/bench/profile/profile_file.h"
#include "cli/process/host_port.h"
#include "cli/process/stop_signals.h"
#include "cli/stack/stack.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/style.h"

namespace toolway::cli::bench::profile {

/// Whether --profile, --check and --store fit the other options. Pure. Errors: kInvalidRequest,
/// with what to leave out.
Result<void> check_options(const options::BenchOptions& options);

/// Whether the options ask for the costs of a call, and not only for its times.
bool asks_for_costs(const options::BenchOptions& options);

/// The file of earlier results that the options name.
Result<ProfileFile> open_file(const options::BenchOptions& options);

/// What costs are measured on: a stack that was started for it.
struct ProfileTarget {
  stack::Stack& stack;
  process::HostPort where;
  const kinds::KindUnderTest* kind = nullptr;  ///< null: native
};

/// `toolway bench --profile` and `--check`: measures, prints, compares and keeps. Its exit status:
/// of --check, 1 when a call costs too much. Errors: those of the load, kInternal when calls
/// failed.
Result<int> run_profile(options::BenchOptions options, const ProfileTarget& target,
                        const ProfileFile& file, process::StopSignals& signals,
                        const terminal::ProgressLine& line, const terminal::Style& style);

}  // namespace toolway::cli::bench::profile
