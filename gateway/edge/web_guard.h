#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/wire/host_name.h"
#include "gateway/wire/problem.h"

namespace toolway::gateway::edge {

/// What a request says about its origin, as a browser writes it and a page cannot.
struct WebFacts {
  std::string_view method;
  std::optional<std::string_view> host;
  std::optional<std::string_view> origin;
  std::string_view fetch_site;  ///< Sec-Fetch-Site; empty: no browser, or an old one
  std::string_view fetch_mode;
  bool about_us = false;  ///< asks for health or metrics
};

/// Keeps web pages from using a gateway through the browser of a person who can reach it: pages of
/// other origins (Origin, Sec-Fetch-Site), and pages whose host name was bound to the gateway's
/// address (Host). Immutable.
class WebGuard {
 public:
  struct Rules {
    std::string bind_host;                   ///< the address that the gateway listens on
    bool loopback = false;                   ///< whether that is a loopback address
    std::vector<std::string> allow_hosts;    ///< NAME, NAME:PORT or *
    std::vector<std::string> allow_origins;  ///< SCHEME://HOST[:PORT], null, or *
  };
  /// Errors: kInvalidRequest, naming the option and the value.
  static Result<WebGuard> create(const Rules& rules);

  /// The origin that may read the answer, when it is not the gateway's own; empty: nothing
  /// to say about that. Errors: host_not_allowed, origin_not_allowed.
  wire::HttpResult<std::string_view> admit(const WebFacts& facts) const;

 private:
  bool serves(const WebFacts& facts) const;
  bool allows(std::string_view origin) const;

  bool loopback_ = false;
  bool any_host_ = false;
  bool any_origin_ = false;
  std::vector<wire::HostName> hosts_;
  std::vector<std::string> origins_;
};

/// Header lines of an answer to a page of `origin`.
std::string cors_headers(std::string_view origin);
/// The same of the answer to a preflight of a path that takes the methods `allow`. `asked`: its
/// Access-Control-Request-Headers, of which `Mcp-Param-…` are taken as they are: tools name them.
std::string preflight_headers(std::string_view origin, std::string_view allow, bool private_network,
                              std::string_view asked = {});

}  // namespace toolway::gateway::edge
