#pragma once

#include <chrono>
#include <string>

#include "base/clock.h"
#include "cli/client/http_client.h"

namespace toolway::cli::mcp_serve {

/// The gateway that the bridge leads to.
struct Reached {
  const Clock& clock;
  client::ClientOptions http{};          ///< the gateway, with the engine that all share
  std::string path = "/mcp";             ///< of the endpoint
  std::chrono::milliseconds patience{};  ///< with a gateway that is not there
};

/// Streams have a comment every 15 s.
inline constexpr std::chrono::seconds kSilence{45};

}  // namespace toolway::cli::mcp_serve
