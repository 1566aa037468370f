#pragma once

#include "cli/process/process_options.h"

/// The processes of a fleet. Each runs until SIGTERM or SIGINT, drains, and returns the exit
/// status.
namespace toolway::cli::process {

int run_gateway(const ProcessOptions& options);
int run_worker(const ProcessOptions& options);
int run_collector(const ProcessOptions& options);
/// Brings the schema and the streams up to date, and ends.
int run_migrate(const ProcessOptions& options);

}  // namespace toolway::cli::process
