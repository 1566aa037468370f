#include "tools/executors/command/command_kind.h"

#include <fmt/format.h>

#include "tools/executors/command/command_tool.h"

namespace toolway::tools {
namespace {

class Commands final : public CommandKind {
 public:
  explicit Commands(std::shared_ptr<const CommandShared> shared) : shared_(std::move(shared)) {}
  Kind kind() const override { return Kind::kCommand; }
  const SandboxStatus& status() const override { return shared_->status; }
  std::size_t remove_idle_workspaces(std::chrono::seconds idle) const override {
    return shared_->workspaces.remove_idle(idle);
  }

  Result<std::shared_ptr<const Tool>> make(Spec spec) override {
    auto config = parse_command_config(spec.implementation, spec.input_schema);
    if (!config) {
      return fail(ErrorCode::kInvalidSpec, fmt::format("tool '{}': {}", spec.qualified_name(), config.error().message));
    }
    return std::make_shared<const CommandTool>(std::move(spec), std::move(*config), shared_);
  }

 private:
  const std::shared_ptr<const CommandShared> shared_;
};

}  // namespace

Result<std::shared_ptr<CommandKind>> make_command_kind(CommandOptions options) {
  const auto directory = options.sandbox.directory;
  auto sandbox = Sandbox::create(std::move(options.sandbox));
  if (!sandbox) return fail(sandbox.error());
  auto status = (*sandbox)->probe();
  std::string missing;
  for (const auto mechanism : (*sandbox)->options().minimum) {
    const auto found = status.missing.find(mechanism);
    if (found == status.missing.end()) continue;
    missing += fmt::format("{}{} ({})", missing.empty() ? "" : "; ", mechanism_name(mechanism), found->second);
  }
  auto owner = (*sandbox)->user();
  return std::make_shared<Commands>(std::make_shared<const CommandShared>(CommandShared{
      .sandbox = std::move(*sandbox),
      .workspaces = Workspaces({.directory = directory / "workspaces", .owner = owner, .most = options.workspace_most}),
      .kill_grace = options.kill_grace,
      .status = std::move(status),
      .missing = std::move(missing)}));
}

}  // namespace toolway::tools
