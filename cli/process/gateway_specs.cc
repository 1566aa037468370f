#include "cli/process/gateway_specs.h"

#include <fmt/format.h>

#include "base/try.h"
#include "bus/answer.h"
#include "cli/process/reader_options.h"
#include "cli/process/spec_sources.h"
#include "cli/process/toolset_source.h"
#include "monitoring/metric_names.h"
#include "persistence/specs/postgres_spec_source.h"
#include "proto/subjects.h"
#include "tools/executors/mcp_client/server_config.h"

namespace toolway::cli::process {
namespace {

/// Asks JetStream for the pool's first durable.
Result<bool> pool_exists(bus::Bus& bus, const std::string& pool) {
  if (bus.connection() != bus::Connection::kConnected)
    return fail(ErrorCode::kBusUnavailable, "NATS does not answer");
  auto found = bus::answer_within<bus::ConsumerState>(std::chrono::seconds(10), [&](auto handler) {
    bus.consumer_state(
        {std::string(proto::kCallsStream), proto::call_durable(pool, proto::Lane::kNormal, 0)},
        std::move(handler));
  });
  if (found) return true;
  if (found.error().code == ErrorCode::kNotFound) return false;
  return fail(found.error());
}

/// Those that a gateway's settings name.
Result<std::vector<tools::executors::mcp_client::ServerConfig>> servers_of(
    const std::vector<std::string>& settings) {
  constexpr std::string_view kSetting = "mcp.servers=";
  std::vector<std::string> files;
  for (const auto& setting : settings) {
    if (!setting.starts_with(kSetting)) {
      return fail(ErrorCode::kInvalidRequest,
                  fmt::format("--set '{}': a gateway's only setting is mcp.servers=FILE", setting));
    }
    if (setting.size() > kSetting.size()) files.push_back(setting.substr(kSetting.size()));
  }
  return tools::executors::mcp_client::read_servers_files(files);
}

void count(monitoring::Metrics& metrics, const tools::loaders::LoadReport& report) {
  for (const auto kind : tools::loaders::kSourceKinds) {
    const auto& of = report.kinds[static_cast<std::size_t>(kind)];
    if (!of.configured) continue;
    const auto name = tools::loaders::source_kind_name(kind);
    metrics.gauge(monitoring::kSpecSourceUp, "source", name).set(of.up ? 1 : 0);
    metrics.gauge(monitoring::kSpecs, "source", name).set(static_cast<double>(of.in_force));
    metrics.counter(monitoring::kSpecMistakes, "source", name)
        .add(static_cast<double>(of.mistakes));
  }
}

}  // namespace

Result<std::unique_ptr<tools::loaders::SpecLoader>> start_gateway_specs(
    const ProcessOptions& options, std::shared_ptr<const tools::model::Registry> builtin,
    LiveTools live, bus::Bus& bus, monitoring::Metrics& metrics,
    std::shared_ptr<std::atomic<std::int64_t>> read_up_to) {
  const auto reader = [&](Contents contents) {
    return spec_reader(*builtin, python_options(options.python, options.python_path),
                       entries_for(options.env), contents);
  };
  ASSIGN_OR_RETURN(auto sources, make_spec_sources({.specs = options.specs,
                                                    .token_file = options.specs_token_file,
                                                    .token = options.specs_token},
                                                   {.files = reader(Contents::kOfFiles),
                                                    .urls = reader(Contents::kRefused)}));
  ASSIGN_OR_RETURN(auto servers, servers_of(options.settings));
  sources.push_back(std::make_unique<persistence::specs::PostgresSpecSource>(
      options.postgres_url, std::chrono::milliseconds(1000), std::move(read_up_to)));
  sources.push_back(std::make_unique<ToolsetSource>(bus, std::move(servers)));
  tools::loaders::LoaderOptions loader;
  loader.overlays =
      overlays_of(options.env, *builtin, python_options(options.python, options.python_path));
  loader.builtin = std::move(builtin);
  loader.sources = std::move(sources);
  loader.offers = &live.offers;
  loader.pool_exists = [&bus](const std::string& pool) { return pool_exists(bus, pool); };
  loader.on_load = [&metrics](const tools::loaders::LoadReport& report) { count(metrics, report); };
  return tools::loaders::SpecLoader::start(live.tools, std::move(loader));
}

}  // namespace toolway::cli::process
