#include "cli/process/tool_kinds.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/try.h"
#include "local/postgres_files.h"
#include "tools/executors/kind_types.h"

namespace toolway::cli::process {
namespace {

/// Where a worker keeps the sessions' workspaces by default.
std::filesystem::path kept_at(const ProcessOptions& options) {
  if (!options.workspaces.empty()) return options.workspaces;
  std::error_code ignored;
  return std::filesystem::temp_directory_path(ignored) / "toolway-workspaces";
}

struct Setting {
  std::string kind;
  std::string name;
  std::string value;
};

/// `KIND.NAME=VALUE`
Result<Setting> parse_setting(const std::string& text) {
  const auto equals = text.find('=');
  const auto dot = text.find('.');
  if (equals == std::string::npos || dot == std::string::npos || dot > equals) {
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("--set '{}': must be KIND.NAME=VALUE", text));
  }
  Setting setting{text.substr(0, dot), text.substr(dot + 1, equals - dot - 1),
                  text.substr(equals + 1)};
  const auto* type = tools::executors::kind_types().find(setting.kind);
  if (type == nullptr) {
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("--set '{}': there is no kind '{}': it must be {}", text, setting.kind,
                            tools::executors::kind_types().names()));
  }
  if (std::find(type->settings.begin(), type->settings.end(), setting.name) ==
      type->settings.end()) {
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("--set '{}': kind {} has {}", text, setting.kind,
                            type->settings.empty()
                                ? std::string("no settings")
                                : fmt::format("the settings {}", fmt::join(type->settings, ", "))));
  }
  return setting;
}

Result<std::vector<Setting>> settings_of(const ProcessOptions& options) {
  std::vector<Setting> settings{{"python", "interpreter", options.python}};
  for (const auto& directory : options.python_path)
    settings.push_back({"python", "path", directory});
  if (!options.sandbox.empty()) settings.push_back({"command", "profiles", options.sandbox});
  for (const auto& text : options.settings) {
    ASSIGN_OR_RETURN(auto setting, parse_setting(text));
    settings.push_back(std::move(setting));
  }
  return settings;
}

}  // namespace

Result<tools::model::ToolKinds> make_worker_kinds(
    const ProcessOptions& options, const std::vector<PoolSlots>& pools,
    std::shared_ptr<const tools::model::Secrets> secrets,
    std::function<void(tools::model::Toolset)> offer) {
  ASSIGN_OR_RETURN(const auto settings, settings_of(options));
  tools::model::ToolKinds kinds;
  for (const auto& type : tools::executors::kind_types()) {
    if (type.make == nullptr) continue;
    const auto pool = std::find_if(pools.begin(), pools.end(),
                                   [&](const auto& one) { return one.name == type.kind.name; });
    tools::model::KindOptions kind_options{
        .slots = pool == pools.end() ? type.slots : pool->slots,
        .has_pool = pool != pools.end(),
        // As root, commands run as another user, which has to pass through.
        .directory =
            local::reachable_directory(kept_at(options).string(), geteuid() == 0 ? "nobody" : ""),
        .secrets = secrets,
        .offer = offer};
    for (const auto& setting : settings) {
      if (setting.kind == type.kind.name)
        kind_options.settings.emplace(setting.name, setting.value);
    }
    auto kind = type.make(kind_options);
    if (!kind) {
      if (kind_options.has_pool) return fail(kind.error());
      spdlog::warn("runs no {} tools: {}", type.kind.name, kind.error().message);
      continue;
    }
    if (const auto state = (*kind)->state(); !state.text.empty()) {
      spdlog::log(state.complete ? spdlog::level::info : spdlog::level::warn, "{}", state.text);
    }
    kinds.push_back(*std::move(kind));
  }
  return kinds;
}

}  // namespace toolway::cli::process
