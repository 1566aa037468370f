#include "tools/executors/command/command_kind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "base/try.h"
#include "tools/executors/command/command_tool.h"
#include "tools/executors/command/sandbox_probe.h"

namespace toolway::tools::executors::command {
namespace {

constexpr std::chrono::hours kWorkspaceIdle{24};

Result<std::shared_ptr<model::ToolKind>> make_with(const model::KindOptions& options) {
  CommandOptions command;
  command.sandbox.directory = options.directory;
  if (const auto profiles = options.setting("profiles"); !profiles.empty()) {
    ASSIGN_OR_RETURN(command.sandbox.configuration, read_sandbox_profiles(profiles));
  }
  return make_command_kind(std::move(command));
}

class Commands final : public CommandKind {
 public:
  explicit Commands(std::shared_ptr<const CommandShared> shared) : shared_(std::move(shared)) {}
  model::Kind kind() const override { return model::Kind::kCommand; }
  const SandboxStatus& status() const override { return shared_->status; }
  std::size_t remove_idle_workspaces(std::chrono::seconds idle) const override {
    return shared_->workspaces.remove_idle(idle);
  }
  model::KindState state() const override {
    return {shared_->status.describe(), shared_->status.missing.empty()};
  }
  std::string tidy() override {
    std::vector<std::string> done;
    if (const auto killed = shared_->sandbox->kill_orphans(); killed != 0)
      done.push_back(fmt::format("killed orphaned sandboxes: {}", killed));
    if (const auto removed = remove_idle_workspaces(kWorkspaceIdle); removed != 0) {
      done.push_back(fmt::format("removed {} workspaces that were idle for {} h", removed,
                                 kWorkspaceIdle.count()));
    }
    return fmt::format("{}", fmt::join(done, "; "));
  }

  Result<std::shared_ptr<const model::Tool>> make(model::Spec spec) override {
    auto config = parse_command_config(spec.implementation, spec.input_schema);
    if (!config) {
      return fail(ErrorCode::kInvalidSpec,
                  fmt::format("tool '{}': {}", spec.qualified_name(), config.error().message));
    }
    return std::make_shared<const CommandTool>(std::move(spec), std::move(*config), shared_);
  }

 private:
  const std::shared_ptr<const CommandShared> shared_;
};

}  // namespace

model::KindType command_kind_type() {
  return {.kind = model::Kind::kCommand,
          .slots = 4 * std::max<std::size_t>(1, std::thread::hardware_concurrency()),
          .settings = {"profiles"},
          .check =
              [](const model::Spec& spec) {
                return check_command_config(spec.implementation, spec.input_schema);
              },
          .make = &make_with};
}

Result<std::shared_ptr<CommandKind>> make_command_kind(CommandOptions options) {
  const auto directory = options.sandbox.directory;
  ASSIGN_OR_RETURN(auto sandbox, Sandbox::create(std::move(options.sandbox)));
  if (const auto killed = sandbox->kill_orphans(); killed != 0)
    spdlog::warn("killed orphaned sandboxes: {}", killed);
  auto status = probe_sandbox(*sandbox);
  auto missing = status.missing_of(sandbox->options().minimum);
  auto owner = sandbox->user();
  return std::make_shared<Commands>(std::make_shared<const CommandShared>(CommandShared{
      .sandbox = std::move(sandbox),
      .workspaces = Workspaces(
          {.directory = directory / "workspaces", .owner = owner, .most = options.workspace_most}),
      .kill_grace = options.kill_grace,
      .status = std::move(status),
      .missing = std::move(missing)}));
}

}  // namespace toolway::tools::executors::command
