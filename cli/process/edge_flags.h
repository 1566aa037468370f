#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/auth/authority.h"
#include "gateway/gateway.h"

namespace CLI {
class App;
}

namespace toolway::cli::process {

/// Who may speak to a gateway, as set for `gateway` and `dev`.
struct EdgeFlags {
  std::vector<std::string> trust_user_header;
  std::vector<std::string> allow_origins;
  std::vector<std::string> allow_hosts;
  std::string public_url;
  gateway::auth::AuthOptions auth{};
  std::string operator_token_file{};  ///< of `gateway`; a stack makes one for its own
};

/// How much a gateway takes, of one client and of all.
struct EdgeCaps {
  std::size_t max_header_kib = gateway::GatewayOptions{}.max_header_bytes / 1024;
  std::size_t max_body_kib = gateway::GatewayOptions{}.max_body_bytes / 1024;
  std::size_t request_mib = gateway::edge::EdgeOptions{}.request_bytes / (1024 * 1024);
  std::size_t connections = gateway::GatewayOptions{}.max_connections;
  std::size_t connections_per_address = gateway::edge::EdgeOptions{}.connections_per_address;
  std::size_t requests_per_user = gateway::edge::EdgeOptions{}.requests_per_user;
};

/// `--auth` and `--auth-config`, which the next one has, too.
void add_auth_flags(CLI::App& app, EdgeFlags& flags);
void add_edge_flags(CLI::App& app, EdgeFlags& flags);
/// `--operator-token-file`.
void add_operator_flag(CLI::App& app, EdgeFlags& flags);
void add_edge_caps(CLI::App& app, EdgeCaps& caps);

/// The arguments that give a process of a stack the same.
std::vector<std::string> arguments_of(const EdgeFlags& flags);

/// What to warn of when a gateway listens on `host`: off loopback, and told no host names, it
/// serves every one, also those that web pages bind to its address. Nothing on loopback, with any
/// `--allow-host`, and of an address that cannot be read. Pure.
std::optional<std::string> open_to_pages(const std::string& host, const EdgeFlags& flags);

/// Puts both into a gateway's options.
void apply_edge(const EdgeFlags& flags, const EdgeCaps& caps, gateway::GatewayOptions& options);

}  // namespace toolway::cli::process
