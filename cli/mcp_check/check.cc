#include <fmt/format.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "cli/client/reporting.h"
#include "cli/mcp_check/first_words.h"
#include "cli/mcp_check/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/report.h"
#include "cli/terminal/table.h"
#include "local/postgres_files.h"
#include "tools/executors/mcp_client/server_links.h"

namespace toolway::cli::mcp_check {
namespace {

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

using tools::executors::mcp_client::LinkTrouble;
using tools::executors::mcp_client::ListedTools;
using tools::executors::mcp_client::ServerConfig;
using tools::executors::mcp_client::ServerLink;
using tools::executors::mcp_client::ServerLinks;

/// Null: it cannot even be tried, which is its first word.
std::unique_ptr<ServerLink> begin(const ServerLinks& links, const ServerConfig& config,
                                  FirstWords& words, std::size_t number) {
  const auto trouble = [&words, number](const LinkTrouble& why) { words.trouble(number, why); };
  auto link = links.connect(config, {.on_tools =
                                         [&words, &config, number](ListedTools listed) {
                                           words.listed(number, config, std::move(listed));
                                         },
                                     .on_trouble = trouble,
                                     .on_unlisted = trouble,
                                     .on_starting =
                                         [&config](const std::string& so_far) {
                                           fmt::print(stderr, "{} {}\n", config.name, so_far);
                                         }});
  if (link) return *std::move(link);
  trouble({link.error().message});
  return nullptr;
}

/// Asks all servers at once, and hands `tell` the first word of each as it comes. True: all are
/// good.
template <typename Tell>
bool ask_all(const ServerLinks& links, const std::vector<ServerConfig>& configs, FirstWords& words,
             Tell tell) {
  std::vector<std::unique_ptr<ServerLink>> asked;
  // One that has answered, or failed, is not tried again; one that does not end keeps no other
  // waiting.
  std::vector<std::jthread> ending;
  std::chrono::milliseconds patience{0};
  for (const auto& config : configs) {
    asked.push_back(begin(links, config, words, asked.size()));
    // The time to start, and as much for its list: each link says by itself when that has passed.
    patience = std::max(patience, 3 * config.start_timeout);
  }
  bool good = true;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const auto number = words.next(patience);
    if (!number) {
      for (std::size_t k = 0; k < asked.size(); ++k) {
        if (asked[k]) tell(words.of(k));
      }
      return false;
    }
    ending.emplace_back([link = std::move(asked[*number])]() mutable { link.reset(); });
    const auto checked = words.of(*number);
    good = good && checked.revision.has_value();
    tell(checked);
  }
  return good;
}

}  // namespace

int check_mcp_servers(const McpOptions& options) {
  // What links log is told by their events.
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("mcp", std::make_shared<spdlog::sinks::null_sink_mt>()));
  auto configs = tools::executors::mcp_client::read_servers_file(options.servers);
  if (!configs) return terminal::report_error(options.view, configs.error());
  if (configs->empty()) terminal::print_warning(options.view, "no servers in " + options.servers);
  if (options.timeout_s > 0)
    for (auto& config : *configs) config.start_timeout = std::chrono::seconds(options.timeout_s);
  std::error_code ignored;
  const auto directory = std::filesystem::temp_directory_path(ignored) / "toolway-workspaces";
  const auto links = ServerLinks::create(
      {.profiles = options.profiles,
       .directory = local::reachable_directory(directory.string(), geteuid() == 0 ? "nobody" : ""),
       .secrets = std::make_shared<const tools::model::Secrets>(options.secrets_directory,
                                                                options.secrets)},
      *configs);
  if (!links) return terminal::report_error(options.view, links.error());
  FirstWords words(*configs);
  const bool table = !options.view.json() && options.view.output != terminal::Output::kName;
  const bool good = ask_all(*links, *configs, words, [&](const Checked& checked) {
    if (table) print(options.view, checked);
  });
  if (options.view.json()) {
    OrderedJson all = OrderedJson::array();
    for (std::size_t i = 0; i < configs->size(); ++i) all.push_back(as_json(words.of(i)));
    client::print_json({{"servers", std::move(all)}});
  } else if (!table) {
    for (const auto& config : *configs) fmt::print("{}\n", config.name);
  }
  return good ? terminal::kExitOk : terminal::kExitUsage;
}

}  // namespace toolway::cli::mcp_check
