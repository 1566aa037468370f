#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace toolway::gateway::edge {

/// Who may speak to a gateway, and how much one of them may take of it:
/// docs/operations/behind-a-proxy.md.
struct EdgeOptions {
  std::vector<std::string>
      trust_user_header{};  ///< `loopback`, `none`, addresses, networks; empty: none
  std::vector<std::string> allow_origins{};  ///< of web pages: SCHEME://HOST[:PORT], null, or *
  std::vector<std::string> allow_hosts{};    ///< in the header Host: NAME, NAME:PORT, or *
  std::string public_url{};  ///< what clients call it: http(s)://HOST[:PORT]; empty: its Host
  std::string operator_token_file{};  ///< empty: no request of an operator is answered
  std::size_t connections_per_address =
      10'000;  ///< 0: only the total bound; proxies and loopback have none
  std::size_t requests_per_user = 5'000;  ///< being answered at once, waits included; 0: no bound
  std::size_t request_bytes = 128 * 1024 * 1024;  ///< of all requests that are read or answered
};

}  // namespace toolway::gateway::edge
