#pragma once

#include <string>

#include "base/result.h"
#include "tools/http/http_message.h"

namespace toolway::tools::http {

/// The proxy that a request to `url` goes through; empty: none.
std::string proxy_for(const HttpProxy& proxy, const HttpUrl& url);

/// Errors: kInvalidSpec. socks5 and socks4 are refused: they would have this machine
/// resolve the host and the proxy connect to it, with no check of the address.
Result<void> check_proxy(const HttpProxy& proxy);

}  // namespace toolway::tools::http
