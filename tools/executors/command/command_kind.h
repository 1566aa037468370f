#pragma once

#include <chrono>
#include <memory>

#include "base/result.h"
#include "tools/executors/command/sandbox.h"
#include "tools/executors/command/workspaces.h"
#include "tools/model/kind_types.h"

namespace toolway::tools::executors::command {

/// How a worker runs tools of kind `command`.
struct CommandOptions {
  /// `sandbox.directory` is where all that is kept is: `etc`, and `workspaces`.
  SandboxOptions sandbox;
  DiskUse workspace_most{.bytes = 1UL << 30, .files = 20'000};  ///< per session
  /// From SIGTERM to SIGKILL; less than a worker waits for a cancelled tool.
  std::chrono::milliseconds kill_grace{1000};
};

/// Tools that run a program in a sandbox. Owned by the worker; thread-safe.
class CommandKind : public model::ToolKind {
 public:
  /// What the probe at start has found.
  virtual const SandboxStatus& status() const = 0;
  /// Removes the workspaces of sessions that have run nothing for `idle`; returns how many.
  virtual std::size_t remove_idle_workspaces(std::chrono::seconds idle) const = 0;
};

/// Kills what workers that were killed have left of sandboxes of this directory, and probes the
/// sandbox. Where the configured minimum is missing, every execution fails with
/// sandbox_unavailable. Errors: kInvalidSpec (profiles), kInternal (directory).
Result<std::shared_ptr<CommandKind>> make_command_kind(CommandOptions options);

/// Settings: `profiles`, a file of sandbox profiles.
model::KindType command_kind_type();

}  // namespace toolway::tools::executors::command
