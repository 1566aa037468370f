#pragma once

#include <string>
#include <vector>

#include "cli/client/http_client.h"

namespace toolway::cli::stack {

/// The gateways that an operator's verb changes things through, the first one first: the one that
/// `http` names (an empty URL: none), or those of the `toolway dev` that runs on `data` (empty:
/// .toolway). A gateway of that `dev` gets its token, unless `http` names a token file. None: there
/// is no such gateway.
std::vector<client::ClientOptions> operator_gateways(const client::ClientOptions& http,
                                                     const std::string& data);

/// Whether a gateway is named, and a token for it. Where servers are known by the environment, they
/// come before a gateway that is named without one: so did they when gateways took no operators.
inline bool takes_operators(const client::ClientOptions& http) {
  return !http.url.empty() && (!http.reach.token.empty() || !http.reach.token_file.empty());
}

}  // namespace toolway::cli::stack
