#include "tools/executors/mcp_client/server_links.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/try.h"
#include "tools/executors/command/sandbox_probe.h"
#include "tools/executors/mcp_client/http_link.h"
#include "tools/executors/mcp_client/stdio_link.h"
#include "tools/model/readable.h"

namespace toolway::tools::executors::mcp_client {
namespace {

constexpr std::size_t kMaxReported = 50;

}  // namespace

Result<ServerLinks> ServerLinks::create(Options options, std::span<const ServerConfig> servers) {
  ServerLinks links;
  links.secrets_ = std::move(options.secrets);
  const bool sandboxed = std::any_of(servers.begin(), servers.end(), [](const auto& one) {
    return one.stdio && !one.stdio->sandbox.empty();
  });
  if (sandboxed) {
    command::SandboxOptions sandbox{.program = options.sandbox_program,
                                    .directory = options.directory};
    if (!options.profiles.empty()) {
      ASSIGN_OR_RETURN(sandbox.configuration, command::read_sandbox_profiles(options.profiles));
    }
    auto made = command::Sandbox::create(std::move(sandbox));
    RETURN_IF_ERROR(made);
    links.sandbox_ = *std::move(made);
    if (const auto killed = links.sandbox_->kill_orphans(); killed != 0)
      spdlog::warn("killed orphaned sandboxes of MCP servers: {}", killed);
    links.missing_ =
        command::probe_sandbox(*links.sandbox_).missing_of(links.sandbox_->options().minimum);
  }
  if (std::any_of(servers.begin(), servers.end(),
                  [](const auto& one) { return one.http.has_value(); })) {
    ASSIGN_OR_RETURN(links.engine_, tools::http::HttpEngine::start());
  }
  return links;
}

Result<std::unique_ptr<ServerLink>> ServerLinks::connect(const ServerConfig& server,
                                                         LinkEvents events) const {
  LinkOptions options{.server = server,
                      .secrets = secrets_,
                      .client = {"toolway", TOOLWAY_VERSION},
                      .events = std::move(events)};
  if (server.http) return make_http_link(std::move(options), engine_);
  std::shared_ptr<const command::Sandbox> sandbox;
  if (!server.stdio->sandbox.empty()) {
    const auto* profile = sandbox_->find(server.stdio->sandbox);
    if (profile == nullptr) {
      return fail(ErrorCode::kInvalidSpec,
                  fmt::format("MCP server '{}': there is no sandbox profile '{}'", server.name,
                              server.stdio->sandbox));
    }
    if (profile->isolation != command::SandboxProfile::Isolation::kNone) {
      if (!missing_.empty()) {
        return fail(ErrorCode::kSandboxUnavailable,
                    fmt::format("MCP server '{}': this machine cannot sandbox it as configured: {}",
                                server.name, missing_));
      }
      sandbox = sandbox_;
    }
  }
  return make_stdio_link(std::move(options), std::move(sandbox));
}

void say_listed(const std::string& server, const MappedTools& mapped) {
  spdlog::info("MCP server {}: offers {} tools", server, mapped.specs.size());
  for (std::size_t i = 0; i < mapped.refused.size() && i < kMaxReported; ++i) {
    spdlog::warn("MCP server {}: not offered: {}", server, model::readable(mapped.refused[i]));
  }
  if (mapped.refused.size() > kMaxReported)
    spdlog::warn("MCP server {}: {} more are not offered", server,
                 mapped.refused.size() - kMaxReported);
}

}  // namespace toolway::tools::executors::mcp_client
