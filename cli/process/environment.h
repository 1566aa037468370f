#pragma once

#include <functional>
#include <map>
#include <string>

#include "chat/providers/configuration.h"
#include "cli/process/proxy_variables.h"
#include "cli/process/telemetry.h"

namespace toolway::cli::process {

/// What the environment says, read once, in main.
struct Environment {
  std::string nats_url;      ///< TOOLWAY_NATS_URL
  std::string postgres_url;  ///< TOOLWAY_POSTGRES_URL; a secret
  std::string specs_token;   ///< TOOLWAY_SPECS_TOKEN: for endpoints of specs; a secret
  std::map<std::string, std::string, std::less<>>
      secrets;              ///< TOOLWAY_SECRET_<NAME>, by NAME: for tools
  std::string nats_server;  ///< TOOLWAY_NATS_SERVER: a nats-server binary for `dev`
  std::string url;          ///< TOOLWAY_URL: the gateway of the client verbs
  std::string user;         ///< TOOLWAY_USER
  std::string token;        ///< TOOLWAY_API_KEY, else TOOLWAY_TOKEN: of the client verbs; a secret
  std::string ca_file;      ///< TOOLWAY_CA_FILE: of the client verbs
  ProxyVariables proxies;   ///< http_proxy and the like
  OtelVariables otel;       ///< OTEL_…
  chat::providers::ProviderSettings ai;  ///< TOOLWAY_AI_…, and the keys of providers: secrets
  std::string state_home;                ///< XDG_STATE_HOME, else ~/.local/state
  std::string columns;                   ///< COLUMNS: of the terminal
  bool no_color = false;                 ///< NO_COLOR (no-color.org)
};

}  // namespace toolway::cli::process
