#pragma once

#include <string>
#include <vector>

#include "cli/client/verbs.h"
#include "cli/process/processes.h"

namespace toolway::cli::authoring {

struct RunToolOptions {
  std::string name;  ///< `namespace.name`, or a name that only one of the specs has
  std::vector<std::string> arguments;  ///< JSON, @FILE, - or name=value pairs; none: {}
  terminal::View view;
  /// What a worker and a gateway are given: specs, interpreter, sandbox, settings, mocks, secrets.
  process::ProcessOptions process;
};

/// `toolway tools run`: runs a tool in this process, as a worker would, with neither NATS nor
/// Postgres. The result goes to standard output; progress and log lines to standard error. Returns
/// the exit status: 5 when the tool failed.
int run_tool(const RunToolOptions& options);

}  // namespace toolway::cli::authoring
