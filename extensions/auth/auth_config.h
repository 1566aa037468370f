#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "extensions/auth/issuer.h"

namespace toolway::extensions::auth {

/// Where the keys of an issuer come from.
struct KeySource {
  std::string url;                           ///< https, or http to loopback; or
  std::string file;                          ///< a JWK Set on this machine
  std::string ca_file;                       ///< PEM; empty: the system's
  std::vector<std::string> allow_addresses;  ///< besides the public internet
};

struct IssuerConfig {
  IssuerRules rules;
  KeySource keys;
};

/// What a gateway believes about who calls it: a root of trust, so it comes from a file of the
/// process itself, and never over NATS.
struct AuthConfig {
  std::vector<IssuerConfig> issuers;
};

/// Reads the file of `--auth-config` (docs/auth.md), YAML or JSON. Pure. Errors: kInvalidRequest,
/// every mistake with its line.
Result<AuthConfig> read_auth_config(std::string_view text, std::string_view origin);
/// The same of a file. Errors: as above, and when it cannot be read.
Result<AuthConfig> read_auth_config_file(const std::string& path);

}  // namespace toolway::extensions::auth
