#pragma once

#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "bus/jetstream_bus.h"
#include "local/nats_server.h"

namespace toolway::test {

/// A nats-server of this test's own on a free port: TOOLWAY_NATS_SERVER, or the one from PATH.
/// Throws, with its words, when it does not start.
inline std::unique_ptr<local::NatsServer> start_nats(const std::string& directory) {
  const char* program = std::getenv("TOOLWAY_NATS_SERVER");
  auto server = local::NatsServer::start(
      {.program = program == nullptr ? "" : program, .directory = directory});
  if (!server) throw std::runtime_error(server.error().message);
  return std::move(*server);
}

/// A connection of its own. Throws.
inline std::unique_ptr<bus::Bus> connect_to(const local::NatsServer& server) {
  // Programs make the logger before any thread. ThreadSanitizer cannot see that spdlog, which
  // Debian compiled, makes it only once when two loops log first at the same time.
  spdlog::default_logger_raw();
  auto bus = bus::connect_jetstream({.url = server.url(), .name = "test"});
  if (!bus) throw std::runtime_error(bus.error().message);
  return std::move(*bus);
}

}  // namespace toolway::test
