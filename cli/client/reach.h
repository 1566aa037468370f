#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/process/proxy_variables.h"
#include "tools/http/http_message.h"
#include "tools/http/http_url.h"

/// How a gateway is reached that is not on this machine. Pure, except `read_token`.
namespace toolway::cli::client {

struct Reach {
  std::string token{};       ///< an API key or another bearer token, a secret; empty: none
  std::string token_file{};  ///< comes before `token`; read when a client is made
  std::string ca_file{};     ///< certificates to trust instead of the system's; empty: those
  std::string proxy{};       ///< of --proxy; empty: what the environment says
  process::ProxyVariables variables{};
};

/// A gateway's URL: `localhost:8080` is http. Errors: kInvalidRequest when it is not
/// http(s)://HOST[:PORT].
Result<tools::http::HttpUrl> gateway_url(std::string_view text);

/// Whether the URL's host is this machine: `localhost` or an address of loopback.
bool is_loopback(const tools::http::HttpUrl& url);

/// Whether it names a token.
inline bool has_token(const Reach& reach) {
  return !reach.token.empty() || !reach.token_file.empty();
}

/// The token of `reach`; empty: none. Errors: kInvalidRequest.
Result<std::string> read_token(const Reach& reach);

/// Errors: kInvalidRequest when the network, or a proxy, could read a token on its way to `url`.
Result<void> check_token_travels(const tools::http::HttpUrl& url,
                                 const tools::http::HttpProxy& proxy);

/// The proxy for `url`. The environment's is not used for this machine; --proxy is, unless
/// no_proxy names the host. Errors: kInvalidRequest, without the proxy's password.
Result<tools::http::HttpProxy> proxy_of(const Reach& reach, const tools::http::HttpUrl& url);

/// No address is refused: who runs the command chose where it goes.
Result<std::shared_ptr<const tools::http::AddressPolicy>> every_address();

/// Why no answer came, and what to do next. `proxied`: the request goes through a proxy.
Error unreached(const tools::http::HttpEnd& end, std::string_view url, bool proxied);

}  // namespace toolway::cli::client
