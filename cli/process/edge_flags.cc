#include "cli/process/edge_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "gateway/edge/edge.h"
#include "gateway/edge/trusted_peers.h"

namespace toolway::cli::process {

void add_auth_flags(CLI::App& app, EdgeFlags& flags) {
  app.add_option("--auth", flags.auth.methods,
                 "how callers say who they are: none, keys, jwt, or keys,jwt (none on loopback; "
                 "elsewhere it must be given)");
  app.add_option("--auth-config", flags.auth.config_file,
                 "file with the issuers whose JSON Web Tokens are believed");
}

void add_edge_flags(CLI::App& app, EdgeFlags& flags) {
  add_auth_flags(app, flags);
  app.add_option(
         "--trust-user-header", flags.trust_user_header,
         "clients whose X-Toolway-User is trusted: loopback, none, addresses, networks such as 10.0.0.0/8")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->default_str(flags.trust_user_header.empty() ? "none" : flags.trust_user_header.front());
  app.add_option(
         "--allow-origin", flags.allow_origins,
         "web pages of other origins that may call: http(s)://HOST[:PORT]; repeatable; * for all")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option(
         "--allow-host", flags.allow_hosts,
         "names in the header Host that are served; repeatable; * for all. On loopback, besides localhost; elsewhere all, unless one is given")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--public-url", flags.public_url,
                 "what clients call it: http(s)://HOST[:PORT]. It is in what MCP clients are told "
                 "of their credentials; without it, the header Host");
}

void add_operator_flag(CLI::App& app, EdgeFlags& flags) {
  app.add_option(
      "--operator-token-file", flags.operator_token_file,
      "file (mode 0600) with the bearer token of operators, who change specs and switches "
      "over HTTP; read again when it changes. Without it no gateway takes such requests");
}

void add_edge_caps(CLI::App& app, EdgeCaps& caps) {
  const auto add = [&app](const char* name, std::size_t& cap, const char* text, std::size_t least,
                          std::size_t most) {
    app.add_option(name, cap, text)->capture_default_str()->check(CLI::Range(least, most));
  };
  add("--max-header-kib", caps.max_header_kib,
      "of a request's header; its trailers and chunk extensions may have as much again", 1, 1024);
  add("--max-body-kib", caps.max_body_kib, "of a request's body", 1, 64 * 1024);
  add("--request-mib", caps.request_mib,
      "of all requests being read or answered; once full, larger ones get 503 overloaded", 1,
      1024 * 1024);
  add("--connections", caps.connections, "of clients, in all", 1, 1'000'000);
  add("--connections-per-address", caps.connections_per_address,
      "of one IPv4 address or IPv6 /64; loopback and --trust-user-header have no such limit; 0: no limit for any",
      0, 1'000'000);
  add("--requests-per-user", caps.requests_per_user,
      "answered at once, waits included; more get 503 overloaded; 0: no limit", 0, 1'000'000);
}

std::vector<std::string> arguments_of(const EdgeFlags& flags) {
  std::vector<std::string> arguments;
  const auto add = [&arguments](const char* name, const std::vector<std::string>& values) {
    for (const auto& value : values) arguments.insert(arguments.end(), {name, value});
  };
  add("--trust-user-header", flags.trust_user_header);
  add("--allow-origin", flags.allow_origins);
  add("--allow-host", flags.allow_hosts);
  if (!flags.public_url.empty())
    arguments.insert(arguments.end(), {"--public-url", flags.public_url});
  if (!flags.auth.methods.empty())
    arguments.insert(arguments.end(), {"--auth", flags.auth.methods});
  if (!flags.auth.config_file.empty())
    arguments.insert(arguments.end(), {"--auth-config", flags.auth.config_file});
  if (!flags.operator_token_file.empty())
    arguments.insert(arguments.end(), {"--operator-token-file", flags.operator_token_file});
  return arguments;
}

std::optional<std::string> open_to_pages(const std::string& host, const EdgeFlags& flags) {
  if (!flags.allow_hosts.empty()) return std::nullopt;
  const auto address = gateway::edge::listen_address(host);
  if (!address || gateway::edge::plain_address(*address).is_loopback()) return std::nullopt;
  return fmt::format(
      "listens on {} and serves every host name, so a web page can use it through the browser of anyone who "
      "reaches it (DNS rebinding): give the names it is called by with --allow-host NAME, or \"*\" to keep all",
      host);
}

void apply_edge(const EdgeFlags& flags, const EdgeCaps& caps, gateway::GatewayOptions& options) {
  options.edge = {.trust_user_header = flags.trust_user_header,
                  .allow_origins = flags.allow_origins,
                  .allow_hosts = flags.allow_hosts,
                  .public_url = flags.public_url,
                  .operator_token_file = flags.operator_token_file,
                  .connections_per_address = caps.connections_per_address,
                  .requests_per_user = caps.requests_per_user,
                  .request_bytes = caps.request_mib * 1024 * 1024};
  options.max_header_bytes = caps.max_header_kib * 1024;
  options.max_body_bytes = caps.max_body_kib * 1024;
  options.max_connections = caps.connections;
}

}  // namespace toolway::cli::process
