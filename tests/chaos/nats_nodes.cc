#include "tests/chaos/nats_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "local/tcp.h"

namespace toolway::chaos {
namespace {

using Nodes = std::vector<std::unique_ptr<local::NatsServer>>;

Result<std::vector<std::uint16_t>> free_ports(std::size_t count) {
  std::vector<std::uint16_t> ports;
  while (ports.size() < count) {
    auto port = local::free_port();
    if (!port) return fail(port.error());
    if (std::find(ports.begin(), ports.end(), *port) == ports.end()) ports.push_back(*port);
  }
  return ports;
}

}  // namespace

Result<Nodes> start_nats(const Options& options, const std::string& data, const std::string& logs) {
  const unsigned count = options.cluster ? 3 : 1;
  auto routes = free_ports(count);
  if (!routes) return fail(routes.error());
  // Together: no node of a cluster answers before most of them are there.
  std::vector<std::future<Result<std::unique_ptr<local::NatsServer>>>> starting;
  for (unsigned i = 0; i < count; ++i) {
    local::NatsServerOptions server{.program = options.nats_server,
                                    .directory = fmt::format("{}/nats/{}", data, i),
                                    .log_file = fmt::format("{}/nats-{}.log", logs, i)};
    if (options.cluster)
      server.cluster = local::NatsClusterPlace{
          .node = fmt::format("node-{}", i), .port = (*routes)[i], .routes = *routes};
    starting.push_back(
        std::async(std::launch::async, [server] { return local::NatsServer::start(server); }));
  }
  Nodes nodes;
  Result<void> failed;
  for (auto& start : starting) {
    auto node = start.get();
    if (node)
      nodes.push_back(std::move(*node));
    else
      failed = fail(node.error());
  }
  if (!failed) return fail(failed.error());
  return nodes;
}

std::string urls_of(const Nodes& nodes) {
  std::string urls;
  for (const auto& node : nodes) urls += (urls.empty() ? "" : ",") + node->url();
  return urls;
}

}  // namespace toolway::chaos
