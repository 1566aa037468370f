#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/client/http_client.h"

namespace toolway::chaos {

/// How the suite's clients reach the stack: the gateways, and each user's own API key, which lasts
/// for the whole run. Does not change once clients use it.
struct Entrance {
  std::vector<std::string> gateways;
  std::map<std::string, std::string> keys;  ///< by user; none: the gateways take a header's word

  /// Of a user at one gateway. `engine`: null for one of its own.
  Result<std::unique_ptr<cli::client::HttpClient>> client(
      const std::string& gateway, const std::string& user, std::chrono::milliseconds timeout,
      std::shared_ptr<tools::http::HttpEngine> engine = nullptr) const;
};

/// One of its gateways.
struct Place {
  const Entrance& entrance;
  const std::string& gateway;
};

}  // namespace toolway::chaos
