#include "tools/executors/mcp_client/mcp_kind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <ranges>

#include "base/try.h"
#include "tools/executors/mcp_client/call_questions.h"
#include "tools/executors/mcp_client/call_result.h"
#include "tools/executors/mcp_client/mcp_config.h"
#include "tools/executors/mcp_client/server_links.h"
#include "tools/executors/mcp_client/toolset.h"

namespace toolway::tools::executors::mcp_client {
namespace {

/// A server and the calls of it.
struct Server {
  ServerConfig config;
  std::unique_ptr<ServerLink> link;
};
using Servers = std::map<std::string, Server, std::less<>>;

class McpTool final : public model::Tool {
 public:
  McpTool(model::Spec spec, McpConfig config, std::vector<mcp::MirroredParameter> mirrored,
          std::shared_ptr<const Servers> servers)
      : spec_(std::move(spec)),
        config_(std::move(config)),
        mirrored_(std::move(mirrored)),
        servers_(std::move(servers)) {}

  const model::Spec& spec() const override { return spec_; }

  model::Execution execute(const Json& arguments, model::ToolContext& context,
                           model::Progress& progress) const override {
    const auto server = servers_->find(config_.server);
    if (server == servers_->end()) {
      return tl::unexpected(model::ToolError(
          "mcp_server_unknown",
          fmt::format(
              "this worker has no MCP server '{}': its file of servers (--set mcp.servers=FILE) "
              "does not name it",
              config_.server)));
    }
    // A name that this version does not know may be asked by none of its servers.
    const auto askable =
        mcp::both(askable_of(context.askable()).value_or(mcp::ClientCapabilities{}),
                  server->second.config.asks);
    CallQuestions questions(config_.server, askable, context);
    LinkCall call{
        .call = {.name = config_.tool,
                 .arguments = arguments,
                 .askable = askable,
                 .trace = context.trace()},
        .headers = mcp::mirrored_headers(mirrored_, arguments),
        .again = spec_.idempotent ? LinkCall::Again::kOnce : LinkCall::Again::kNever,
        .timeout = server->second.config.call_timeout,
        .cancelled = questions.stopped(),
        .on_progress =
            [&progress](const mcp::ProgressNotification& told) {
              progress.report(
                  {.progress = told.progress, .total = told.total, .message = told.message});
            },
        .questions = &questions};
    auto result = server->second.link->call(std::move(call));
    if (!result) return tl::unexpected(questions.too_much().value_or(std::move(result.error())));
    return execution_of(config_.server, *std::move(result), context);
  }

 private:
  const model::Spec spec_;
  const McpConfig config_;
  const std::vector<mcp::MirroredParameter> mirrored_;
  const std::shared_ptr<const Servers> servers_;
};

class McpServers final : public model::ToolKind {
 public:
  explicit McpServers(std::shared_ptr<const Servers> servers) : servers_(std::move(servers)) {}

  model::Kind kind() const override { return model::Kind::kMcp; }

  model::KindState state() const override {
    if (servers_->empty()) return {};
    return {fmt::format("MCP servers: {}", fmt::join(std::views::keys(*servers_), ", "))};
  }

  Result<std::shared_ptr<const model::Tool>> make(model::Spec spec) override {
    auto config = parse_mcp_config(spec.implementation);
    if (!config) {
      return fail(ErrorCode::kInvalidSpec,
                  fmt::format("tool '{}': {}", spec.qualified_name(), config.error().message));
    }
    // Whatever it mirrors was checked when it was offered; a spec of a file may be wrong.
    auto mirrored = mcp::mirrored_parameters(spec.input_schema);
    const auto server = servers_->find(config->server);
    if (!mirrored && server != servers_->end() && server->second.config.http) {
      return fail(ErrorCode::kInvalidSpec,
                  fmt::format("tool '{}': {}", spec.qualified_name(), mirrored.error().message));
    }
    return std::make_shared<const McpTool>(
        std::move(spec), *std::move(config),
        mirrored ? *std::move(mirrored) : std::vector<mcp::MirroredParameter>(), servers_);
  }

 private:
  const std::shared_ptr<const Servers> servers_;
};

Result<std::shared_ptr<model::ToolKind>> make_with(const model::KindOptions& options) {
  auto files = options.all("servers");
  std::erase(files, "");
  auto servers = std::make_shared<Servers>();
  if (files.empty()) return std::make_shared<McpServers>(std::move(servers));
  ASSIGN_OR_RETURN(auto configs, read_servers_files(files));
  ASSIGN_OR_RETURN(auto links, ServerLinks::create({.profiles = options.setting("profiles"),
                                                    .directory = options.directory,
                                                    .secrets = options.secrets},
                                                   configs));
  for (auto& config : configs) {
    LinkEvents events;
    events.on_tools = [config, offer = options.offer](ListedTools listed) {
      auto mapped = map_tools(config, std::move(listed));
      say_listed(config.name, mapped);
      offer({config.name, std::move(mapped.specs)});
    };
    ASSIGN_OR_RETURN(auto link, links.connect(config, std::move(events)));
    auto name = config.name;
    servers->emplace(std::move(name), Server{std::move(config), std::move(link)});
  }
  return std::make_shared<McpServers>(std::move(servers));
}

}  // namespace

model::KindType mcp_kind_type() {
  return {.kind = model::Kind::kMcp,
          .settings = {"servers", "profiles"},
          .check = [](const model::Spec& spec) { return check_mcp_config(spec.implementation); },
          .make = &make_with};
}

}  // namespace toolway::tools::executors::mcp_client
