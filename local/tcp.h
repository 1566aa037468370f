#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace toolway::local {

/// A loopback port that no process listens on. Another one may take it before it is
/// used: then try again with another port.
Result<std::uint16_t> free_port();

/// Whether a process listens on loopback `port`.
bool port_taken(std::uint16_t port);

/// Of a nats-server; no user: no credentials are needed.
struct NatsUser {
  std::string name{};
  std::string password{};
};

/// Asks the nats-server on loopback `port` for its JetStream account
/// (`$JS.API.INFO`), speaking the client protocol: whether it answered, well,
/// within `timeout`.
bool jetstream_answers(std::uint16_t port, std::chrono::milliseconds timeout,
                       const NatsUser& user = {});

/// Asks the same server for the state of each of `streams`, which needs their stores: whether it
/// said something about every one of them within `timeout`.
bool streams_answer(std::uint16_t port, const std::vector<std::string>& streams,
                    std::chrono::milliseconds timeout, const NatsUser& user = {});

}  // namespace toolway::local
