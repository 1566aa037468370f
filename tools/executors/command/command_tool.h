#pragma once

#include <memory>
#include <string>

#include "tools/executors/command/command_config.h"
#include "tools/executors/command/command_run.h"
#include "tools/executors/command/sandbox.h"
#include "tools/executors/command/workspaces.h"
#include "tools/model/tool.h"

namespace toolway::tools::executors::command {

/// What the command tools of a worker share. Immutable.
struct CommandShared {
  std::shared_ptr<const Sandbox> sandbox;
  Workspaces workspaces;
  std::chrono::milliseconds kill_grace{};
  SandboxStatus status;
  std::string missing;  ///< of the configured minimum, in words; empty: nothing
};

/// Runs one program.
class CommandTool final : public model::Tool {
 public:
  CommandTool(model::Spec spec, CommandConfig config, std::shared_ptr<const CommandShared> shared);
  const model::Spec& spec() const override { return spec_; }
  model::Execution execute(const Json& arguments, model::ToolContext& context,
                           model::Progress& progress) const override;

 private:
  Result<SandboxedCommand> command_for(const Json& arguments,
                                       const model::ToolContext& context) const;
  /// `workspace` empty: none. Errors: as Sandbox::prepare.
  Result<CommandRun> launch(const SandboxedCommand& command, const std::string& workspace) const;

  const model::Spec spec_;
  const CommandConfig config_;
  const std::shared_ptr<const CommandShared> shared_;
  std::string profile_;
  std::string unavailable_;  ///< why it cannot run here; empty: it can
};

}  // namespace toolway::tools::executors::command
