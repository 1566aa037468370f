#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "tools/http/http_message.h"

/// Signed requests as Standard Webhooks 1.0 has them (https://www.standardwebhooks.com). Pure.
namespace toolway::extensions::services {

/// The key of a `whsec_…` secret: what follows is base64 of 24 to 64 bytes. Errors: kInvalidSpec,
/// without the secret.
Result<std::string> webhook_key(std::string_view secret);

/// `v1,` and the HMAC-SHA256 of "ID.TIMESTAMP.BODY" in base64.
std::string webhook_signature(std::string_view key, std::string_view id, std::int64_t unix_seconds,
                              std::string_view body);

/// `webhook-id`, `webhook-timestamp` and `webhook-signature`, with a signature by each key.
tools::http::HttpHeaders webhook_headers(std::span<const std::string> keys, std::string_view id,
                                         WallTime now, std::string_view body);

}  // namespace toolway::extensions::services
