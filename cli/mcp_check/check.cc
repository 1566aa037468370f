#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "base/mutex.h"
#include "base/try.h"
#include "cli/client/reporting.h"
#include "cli/mcp_check/server_lines.h"
#include "cli/mcp_check/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/report.h"
#include "cli/terminal/table.h"
#include "local/postgres_files.h"
#include "tools/executors/mcp_client/server_links.h"

namespace toolway::cli::mcp_check {
namespace {

/// What one server has come to.
struct Checked {
  std::string name;
  std::optional<mcp::Revision> revision{};
  mcp::Implementation server{};
  tools::executors::mcp_client::MappedTools tools{};
  std::string trouble{};             ///< of the first try
  std::vector<std::string> lines{};  ///< the last ones on its standard error
};

/// The first answer of a server, or why its first try failed: a server that cannot be run, exits or
/// refuses the connection would do so again.
class FirstWord {
 public:
  void listed(const tools::executors::mcp_client::ServerConfig& config,
              tools::executors::mcp_client::ListedTools listed) {
    const MutexLock lock(mutex_);
    if (checked_.revision) return;
    checked_.revision = listed.revision;
    checked_.server = listed.server;
    checked_.tools = tools::executors::mcp_client::map_tools(config, std::move(listed));
    changed_.notify_all();
  }
  void trouble(const std::string& why) {
    const MutexLock lock(mutex_);
    if (!checked_.trouble.empty()) return;
    checked_.trouble = why;
    changed_.notify_all();
  }
  Checked wait(std::chrono::milliseconds patience) {
    MutexLock lock(mutex_);
    changed_.wait_for(lock, patience, [this]() REQUIRES(mutex_) {
      return checked_.revision.has_value() || !checked_.trouble.empty();
    });
    return checked_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  Checked checked_ GUARDED_BY(mutex_);
};

OrderedJson as_json(const Checked& checked) {
  OrderedJson tools = OrderedJson::array();
  for (const auto& spec : checked.tools.specs) {
    tools.push_back({{"tool", spec.qualified_name()},
                     {"their_name", spec.implementation.at("tool")},
                     {"description", spec.description}});
  }
  return {{"server", checked.name},
          {"revision",
           checked.revision ? OrderedJson(mcp::revision_name(*checked.revision)) : OrderedJson()},
          {"says_it_is", checked.server.name},
          {"version", checked.server.version},
          {"error", checked.revision ? OrderedJson() : OrderedJson(checked.trouble)},
          {"stderr", checked.revision ? std::vector<std::string>{} : checked.lines},
          {"tools", std::move(tools)},
          {"refused", checked.tools.refused}};
}

void print(const terminal::View& view, const Checked& checked) {
  if (!checked.revision) {
    fmt::print("{} {}: {}\n", view.style(terminal::Colour::kRed, "failed"), checked.name,
               checked.trouble.empty() ? "it did not list its tools in time" : checked.trouble);
    for (const auto& line : checked.lines) fmt::print("  {}\n", line);
    return;
  }
  fmt::print("{}     {}: revision {}, {} {}, {} tools\n",
             view.style(terminal::Colour::kGreen, "ok"), checked.name,
             mcp::revision_name(*checked.revision), checked.server.name, checked.server.version,
             checked.tools.specs.size());
  terminal::Table table{
      .columns = {{.heading = "TOOL", .least = 20}, {.heading = "DOES", .least = 12, .rank = 1}}};
  for (const auto& spec : checked.tools.specs)
    table.rows.push_back({.cells = {spec.qualified_name(),
                                    spec.description.substr(0, spec.description.find('\n'))}});
  if (!table.rows.empty()) fmt::print("{}", terminal::render(std::move(table), view));
  for (const auto& refused : checked.tools.refused) fmt::print("not offered: {}\n", refused);
}

using tools::executors::mcp_client::ServerConfig;
using tools::executors::mcp_client::ServerLinks;

/// A server that is being asked.
struct Asking {
  const ServerConfig* config = nullptr;
  std::unique_ptr<FirstWord> word = std::make_unique<FirstWord>();
  std::unique_ptr<tools::executors::mcp_client::ServerLink> link{};  // before `word` goes
};

Result<Asking> begin(const ServerLinks& links, const ServerConfig& config) {
  Asking asking{.config = &config};
  auto* word = asking.word.get();
  ASSIGN_OR_RETURN(
      asking.link,
      links.connect(config,
                    {.on_tools =
                         [&config, word](tools::executors::mcp_client::ListedTools listed) {
                           word->listed(config, std::move(listed));
                         },
                     .on_trouble = [word](const std::string& why) { word->trouble(why); }}));
  return asking;
}

Checked end(Asking& asking, ServerLines& lines) {
  auto checked = asking.word->wait(asking.config->start_timeout * 2);
  // Its last lines are there when the link has ended.
  asking.link.reset();
  checked.name = asking.config->name;
  checked.lines = lines.of(checked.name);
  return checked;
}

}  // namespace

int check_mcp_servers(const McpOptions& options) {
  const auto lines = std::make_shared<ServerLines>();
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("mcp", lines));
  auto configs = tools::executors::mcp_client::read_servers_file(options.servers);
  if (!configs) return terminal::report_error(options.view, configs.error());
  std::error_code ignored;
  const auto directory = std::filesystem::temp_directory_path(ignored) / "toolway-workspaces";
  auto links = tools::executors::mcp_client::ServerLinks::create(
      {.profiles = options.profiles,
       .directory = local::reachable_directory(directory.string(), geteuid() == 0 ? "nobody" : ""),
       .secrets = std::make_shared<const tools::model::Secrets>(options.secrets_directory,
                                                                options.secrets)},
      *configs);
  if (!links) return terminal::report_error(options.view, links.error());
  // All at once: one that is slow keeps no other waiting.
  std::vector<Asking> asked;
  for (const auto& config : *configs) {
    auto asking = begin(*links, config);
    if (!asking) return terminal::report_error(options.view, asking.error());
    asked.push_back(*std::move(asking));
  }
  bool good = true;
  OrderedJson all = OrderedJson::array();
  for (auto& asking : asked) {
    const auto checked = end(asking, *lines);
    good = good && checked.revision.has_value();
    if (options.view.json())
      all.push_back(as_json(checked));
    else if (options.view.output == terminal::Output::kName)
      fmt::print("{}\n", checked.name);
    else
      print(options.view, checked);
  }
  if (options.view.json()) client::print_json({{"servers", std::move(all)}});
  return good ? terminal::kExitOk : terminal::kExitUsage;
}

}  // namespace toolway::cli::mcp_check
