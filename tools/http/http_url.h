#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/http/ip_address.h"

namespace toolway::tools::http {

/// An http or https URL, taken apart the way libcurl will. Made by `parse` only, so that what is
/// checked is what is connected to.
struct HttpUrl {
  std::string scheme;  ///< `http` or `https`
  std::string host;    ///< lower case, no trailing dot; of IPv6 without brackets
  unsigned port = 0;
  std::string target;                  ///< path and query, in ASCII; begins with `/`
  std::optional<IpAddress> address{};  ///< the host is one, in whatever notation it was written

  /// Refuses other schemes, user names, zones, percent signs and non-ASCII letters in the host
  /// (write `xn--…`), hosts that end in a number but are not an address, and characters that no URL
  /// has. A fragment is dropped. Errors: kInvalidRequest, without the path and the query.
  static Result<HttpUrl> parse(std::string_view text);
  /// What `reference`, a Location header's value, means here (RFC 3986 §5). Errors: as above.
  Result<HttpUrl> resolve(std::string_view reference) const;

  std::string text() const { return origin() + target; }
  /// `https://example.com:8443`, RFC 6454.
  std::string origin() const;
};

}  // namespace toolway::tools::http
