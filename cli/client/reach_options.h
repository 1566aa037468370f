#pragma once

#include <CLI/CLI.hpp>

#include "cli/client/reach.h"

namespace toolway::cli::client {

/// Adds `--key-file` (also `--token-file`), `--ca-file` and `--proxy`. `reach` must outlive `app`.
inline void add_reach_options(CLI::App& app, Reach& reach) {
  app.add_option("--key-file,--token-file", reach.token_file,
                 "file with the API key or token for the gateway (or TOOLWAY_API_KEY)");
  app.add_option("--ca-file", reach.ca_file,
                 "PEM file of certificates to trust instead of the system's (TOOLWAY_CA_FILE)");
  app.add_option("--proxy", reach.proxy,
                 "proxy to reach the gateway through (http_proxy, https_proxy, no_proxy)");
}

}  // namespace toolway::cli::client
