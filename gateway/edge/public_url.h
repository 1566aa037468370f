#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace toolway::gateway::edge {

/// `http(s)://HOST[:PORT]`, without a slash at its end; empty as it is. Pure. Errors:
/// kInvalidRequest, naming --public-url.
Result<std::string> checked_public_url(std::string_view text);

/// What a gateway's URLs begin with for its clients: `public_url`, or if it is empty the Host of
/// the request. Pure. Nothing: there is no Host, or it cannot be read.
std::optional<std::string> origin_of(const std::string& public_url,
                                     std::optional<std::string_view> host);

}  // namespace toolway::gateway::edge
