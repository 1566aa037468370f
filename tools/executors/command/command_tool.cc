#include "tools/executors/command/command_tool.h"

#include <fmt/format.h>

#include "base/try.h"
#include "tools/executors/command/command_result.h"
#include "tools/executors/command/command_run.h"
#include "tools/process/shortage.h"

namespace toolway::tools::executors::command {
namespace {

/// Linux takes no longer argument (MAX_ARG_STRLEN, its NUL included).
constexpr std::size_t kMaxArgument = 128 * 1024 - 1;
/// Of all arguments and variables; Linux takes a quarter of the stack, 2 MB.
constexpr std::size_t kAllArguments = 1024 * 1024;

Result<void> check_size(const SandboxedCommand& command) {
  std::size_t all = 0;
  const auto add = [&](std::string_view what, std::size_t size) -> Result<void> {
    all += size + 1;
    if (size <= kMaxArgument) return {};
    return fail(
        ErrorCode::kInvalidArguments,
        fmt::format("{} has {} bytes; the system takes at most {} (large input goes to stdin)",
                    what, size, kMaxArgument));
  };
  for (std::size_t i = 0; i < command.argv.size(); ++i) {
    RETURN_IF_ERROR(add(fmt::format("argument {} of the command", i), command.argv[i].size()));
  }
  for (const auto& [name, value] : command.environment) {
    RETURN_IF_ERROR(add(fmt::format("variable {}", name), name.size() + 1 + value.size()));
  }
  if (all <= kAllArguments) return {};
  return fail(ErrorCode::kInvalidArguments,
              fmt::format("the command's arguments and variables have {} bytes; the limit is {}",
                          all, kAllArguments));
}

/// Identifiers come from clients, and anything may be in them.
std::string printable(std::string text) {
  std::erase(text, '\0');
  return text;
}

std::string why_unavailable(const CommandShared& shared, const std::string& profile) {
  const auto* found = shared.sandbox->find(profile);
  if (found == nullptr) return fmt::format("this worker has no sandbox profile '{}'", profile);
  if (found->isolation == SandboxProfile::Isolation::kNone || shared.missing.empty()) return {};
  return "this machine cannot sandbox commands as configured: " + shared.missing;
}

/// What a command may leave in a workspace: one over `most` may be made smaller, not larger; one
/// over twice as much is cleared.
Result<DiskUse> bound_of(Workspace& workspace, const DiskUse& most, model::ToolContext& context) {
  DiskUse before;
  auto looked =
      process::start_when_possible("command", context.cancellation(), [&]() -> Result<void> {
        ASSIGN_OR_RETURN(before, workspace.use({most.bytes * 2, most.files * 2}));
        return {};
      });
  RETURN_IF_ERROR(looked);
  if (before.bytes > most.bytes * 2 || before.files > most.files * 2) {
    workspace.clear();
    return most;
  }
  return DiskUse{std::max(most.bytes, before.bytes), std::max(most.files, before.files)};
}

}  // namespace

CommandTool::CommandTool(model::Spec spec, CommandConfig config,
                         std::shared_ptr<const CommandShared> shared)
    : spec_(std::move(spec)), config_(std::move(config)), shared_(std::move(shared)) {
  profile_ = config_.profile.empty() ? shared_->sandbox->options().configuration.default_profile
                                     : config_.profile;
  unavailable_ = why_unavailable(*shared_, profile_);
}

Result<SandboxedCommand> CommandTool::command_for(const Json& arguments,
                                                  const model::ToolContext& context) const {
  const templates::ArgumentSource source{arguments, config_.defaults};
  SandboxedCommand command;
  auto dashes = templates::Dashes::kRefused;
  for (const auto& word : config_.argv) {
    RETURN_IF_ERROR(templates::render_words(word, source, dashes, command.argv));
    // What follows it is not an option, whatever it begins with.
    if (word.is_literal() && !word.parts.empty() && word.parts[0].literal == "--")
      dashes = templates::Dashes::kAllowed;
  }
  if (command.argv.empty() || command.argv.front().empty()) {
    return fail(ErrorCode::kInvalidArguments, "these arguments name no program");
  }
  const std::string home = config_.session_workspace ? "/workspace" : "/tmp";
  command.directory = config_.directory.empty() ? home : config_.directory;
  command.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                         {"HOME", home},
                         {"TMPDIR", "/tmp"},
                         {"LANG", "C.UTF-8"},
                         {"TOOLWAY_SESSION_ID", printable(context.session_id())},
                         {"TOOLWAY_USER_ID", printable(context.user_id())},
                         {"TOOLWAY_CALL_ID", printable(context.call_id())},
                         {"TOOLWAY_ATTEMPT", std::to_string(context.attempt())},
                         {"TOOLWAY_IDEMPOTENCY_KEY", printable(context.idempotency_key())}};
  // As OpenTelemetry's tools read them from their environment.
  if (const auto& trace = context.trace(); trace.valid()) {
    command.environment.emplace_back("TRACEPARENT", trace.traceparent());
    if (!trace.state.empty()) command.environment.emplace_back("TRACESTATE", trace.state);
  }
  for (const auto& [name, text] : config_.environment) {
    ASSIGN_OR_RETURN(auto value, templates::render_text(text, source));
    if (!value) continue;
    std::erase_if(command.environment, [&](const auto& one) { return one.first == name; });
    command.environment.emplace_back(name, std::move(*value));
  }
  RETURN_IF_ERROR(check_size(command));
  return command;
}

Result<CommandRun> CommandTool::launch(const SandboxedCommand& command,
                                       const std::string& workspace) const {
  const auto& profile = *shared_->sandbox->find(profile_);
  CommandRun run;
  run.sandboxed = profile.isolation == SandboxProfile::Isolation::kBubblewrap;
  run.processes = profile.processes;
  run.user = shared_->sandbox->user();
  run.kill_grace = shared_->kill_grace;
  if (run.sandboxed) {
    ASSIGN_OR_RETURN(run.launch, shared_->sandbox->prepare(profile_, command));
    return run;
  }
  auto& child = run.launch.child;
  child.argv = command.argv;
  for (const auto& [name, value] : command.environment)
    child.environment.push_back(name + "=" + value);
  child.directory = !workspace.empty() && config_.directory.empty() ? workspace : command.directory;
  child.limits = limits_of(profile);
  child.user = run.user;
  child.in_own_domain = true;
  return run;
}

model::Execution CommandTool::execute(const Json& arguments, model::ToolContext& context,
                                      model::Progress& progress) const {
  if (!unavailable_.empty()) return fail(ErrorCode::kSandboxUnavailable, unavailable_);
  ASSIGN_OR_RETURN(auto command, command_for(arguments, context));
  std::optional<std::string> input;
  if (config_.input) {
    ASSIGN_OR_RETURN(input, templates::render_text(*config_.input, {arguments, config_.defaults}));
  }
  std::optional<Workspace> workspace;
  if (config_.session_workspace) {
    auto found =
        process::start_when_possible("command", context.cancellation(), [&]() -> Result<void> {
          ASSIGN_OR_RETURN(auto made,
                           shared_->workspaces.of(context.user_id(), context.session_id()));
          workspace.emplace(std::move(made));
          return {};
        });
    RETURN_IF_ERROR(found);
    command.workspace = workspace->path();
  }
  std::function<bool()> within_bounds;
  if (workspace) {
    const auto bound = bound_of(*workspace, shared_->workspaces.options().most, context);
    RETURN_IF_ERROR(bound);
    within_bounds = [&workspace, bound = *bound] {
      const auto now = workspace->use(bound);
      if (!now) return now.error().code == ErrorCode::kOverloaded;
      return now->bytes <= bound.bytes && now->files <= bound.files;
    };
  }

  CommandResult result(spec_, config_, progress);
  CommandEnd end;
  auto ran = process::start_when_possible("command", context.cancellation(), [&]() -> Result<void> {
    ASSIGN_OR_RETURN(auto run, launch(command, workspace ? workspace->path() : ""));
    run.input = input;
    run.cancelled = context.cancellation();
    run.within_bounds = within_bounds;
    run.max_output_bytes = result.max_bytes();
    run.on_output = [&](std::string_view text) { result.add(text); };
    run.on_error_line = [&](std::string_view line) {
      context.log(model::LogLevel::kInfo, std::string(line));
    };
    ASSIGN_OR_RETURN(end, run_command(std::move(run)));
    return {};
  });
  RETURN_IF_ERROR(ran);
  if (end.why == CommandEnd::Why::kCancelled && end.by_signal) context.ended_by_force();
  if (end.why == CommandEnd::Why::kExited && within_bounds && !within_bounds())
    end.why = CommandEnd::Why::kOutOfBounds;
  return result.of(end);
}

}  // namespace toolway::tools::executors::command
