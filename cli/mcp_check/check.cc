#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/mutex.h"
#include "cli/client/reporting.h"
#include "cli/mcp_check/verbs.h"
#include "cli/terminal/exit_code.h"
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
  std::string trouble{};  ///< the last one
};

/// The first answer of a server, or its last trouble within the time.
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
    checked_.trouble = why;
  }
  Checked wait(std::chrono::milliseconds patience) {
    MutexLock lock(mutex_);
    changed_.wait_for(lock, patience,
                      [this]() REQUIRES(mutex_) { return checked_.revision.has_value(); });
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
          {"tools", std::move(tools)},
          {"refused", checked.tools.refused}};
}

void print(const Checked& checked) {
  if (!checked.revision) {
    fmt::print("{}: cannot be used: {}\n", checked.name,
               checked.trouble.empty() ? "it did not list its tools in time" : checked.trouble);
    return;
  }
  fmt::print("{}: revision {}, {} {}, {} tools\n", checked.name,
             mcp::revision_name(*checked.revision), checked.server.name, checked.server.version,
             checked.tools.specs.size());
  std::vector<std::vector<std::string>> rows;
  for (const auto& spec : checked.tools.specs) {
    std::vector<std::string> row{spec.qualified_name()};
    row.push_back(
        spec.description.substr(0, std::min<std::size_t>(spec.description.find('\n'), 100)));
    rows.push_back(std::move(row));
  }
  if (!rows.empty()) fmt::print("{}", terminal::render_table({"TOOL", "DOES"}, rows));
  for (const auto& refused : checked.tools.refused) fmt::print("not offered: {}\n", refused);
}

}  // namespace

int check_mcp_servers(const McpOptions& options) {
  // What servers write to their standard error is not asked for here.
  spdlog::set_level(spdlog::level::err);
  auto configs = tools::executors::mcp_client::read_servers_file(options.servers);
  if (!configs) return client::report_error(configs.error());
  std::error_code ignored;
  const auto directory = std::filesystem::temp_directory_path(ignored) / "toolway-workspaces";
  auto links = tools::executors::mcp_client::ServerLinks::create(
      {.profiles = options.profiles,
       .directory = local::reachable_directory(directory.string(), geteuid() == 0 ? "nobody" : ""),
       .secrets = std::make_shared<const tools::model::Secrets>(options.secrets_directory,
                                                                options.secrets)},
      *configs);
  if (!links) return client::report_error(links.error());
  bool good = true;
  OrderedJson all = OrderedJson::array();
  for (const auto& config : *configs) {
    FirstWord word;
    auto link =
        links->connect(config, {.on_tools =
                                    [&](tools::executors::mcp_client::ListedTools listed) {
                                      word.listed(config, std::move(listed));
                                    },
                                .on_trouble = [&](const std::string& why) { word.trouble(why); }});
    if (!link) return client::report_error(link.error());
    auto checked = word.wait(config.start_timeout * 2);
    link->reset();
    checked.name = config.name;
    good = good && checked.revision.has_value();
    if (options.view.json())
      all.push_back(as_json(checked));
    else
      print(checked);
  }
  if (options.view.json()) client::print_json({{"servers", std::move(all)}});
  return good ? terminal::kExitOk : terminal::kExitUsage;
}

}  // namespace toolway::cli::mcp_check
