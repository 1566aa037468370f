#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/http/address_policy.h"

namespace toolway::extensions::services {

/// A service that this process may ask, as its own file says: a rule alone, which comes over NATS,
/// can send calls nowhere.
struct KnownService {
  std::string origin;             ///< `https://policy.example.com:8443`
  std::vector<std::string> keys;  ///< that requests are signed with, of its secrets
  std::shared_ptr<const tools::http::AddressPolicy> addresses;
  std::string ca_file{};  ///< PEM; empty: the system's
};

/// Reads `{services: [{url, secret, allow_addresses, allow_http, ca_file}]}`, YAML or JSON. Errors:
/// kInvalidRequest, with every mistake and its line, without the secrets. Pure.
Result<std::vector<KnownService>> read_known_services(std::string_view text,
                                                      std::string_view origin);
/// The same of a file that only its owner may read. Errors: also kNotFound, kPermissionDenied.
Result<std::vector<KnownService>> read_known_services_file(const std::string& path);

}  // namespace toolway::extensions::services
