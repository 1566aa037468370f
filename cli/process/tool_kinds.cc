#include "cli/process/tool_kinds.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <thread>

#include "local/postgres_files.h"
#include "tools/executors/python/python_kind.h"

namespace toolway::cli {
namespace {

/// Where a worker keeps the sessions' workspaces when nobody says.
std::filesystem::path kept_at(const ProcessOptions& options) {
  if (!options.workspaces.empty()) return options.workspaces;
  std::error_code ignored;
  return std::filesystem::temp_directory_path(ignored) / "toolway-workspaces";
}

Result<std::shared_ptr<tools::CommandKind>> make_command(const ProcessOptions& options) {
  tools::CommandOptions command;
  if (!options.sandbox.empty()) {
    auto configuration = tools::read_sandbox_profiles(options.sandbox);
    if (!configuration) return fail(configuration.error());
    command.sandbox.configuration = *std::move(configuration);
  }
  // As root, commands run as somebody else, who has to pass through.
  command.sandbox.directory = local::reachable_directory(kept_at(options).string(), geteuid() == 0 ? "nobody" : "");
  auto kind = tools::make_command_kind(std::move(command));
  if (!kind) return kind;
  const auto& status = (*kind)->status();
  spdlog::log(status.missing.empty() ? spdlog::level::info : spdlog::level::warn, "{}", status.describe());
  return kind;
}

}  // namespace

std::size_t slots_of_pool(const std::string& pool) {
  const std::size_t cores = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  if (pool == "python" || pool == "command") return 4 * cores;
  return 128;
}

Result<WorkerKinds> make_worker_kinds(const ProcessOptions& options, const std::vector<PoolSlots>& pools) {
  const auto pool = std::find_if(pools.begin(), pools.end(), [](const auto& one) { return one.name == "python"; });
  tools::PythonOptions python{.interpreter = options.python, .path = options.python_path};
  python.processes = pool == pools.end() ? slots_of_pool("python") : pool->slots;
  python.warm = pool == pools.end() ? 0 : std::min<std::size_t>(2, python.processes);
  WorkerKinds kinds;
  auto python_kind = tools::make_python_kind(std::move(python));
  if (python_kind) {
    kinds.all.push_back(*std::move(python_kind));
  } else if (pool != pools.end()) {
    return fail(python_kind.error());
  } else {
    // A machine without Python may serve other pools.
    spdlog::warn("runs no python tools: {}", python_kind.error().message);
  }
  auto command_kind = make_command(options);
  if (!command_kind) return fail(command_kind.error());
  kinds.command = *std::move(command_kind);
  kinds.all.push_back(kinds.command);
  return kinds;
}

}  // namespace toolway::cli
