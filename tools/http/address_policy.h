#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/http/http_url.h"
#include "tools/http/ip_address.h"

namespace toolway::tools::http {

/// Which addresses may be connected to: those of the public internet (the IANA special-purpose
/// registries of RFC 6890, and what embeds their addresses), and what is allowed besides.
/// Addresses of cloud metadata services need to be allowed one by one. Immutable.
class AddressPolicy {
 public:
  /// The public internet.
  AddressPolicy() = default;
  /// `allowed`: addresses, blocks (`10.0.0.0/8`), host names, and `*.name` for all hosts below one.
  /// Errors: kInvalidSpec, with the entry.
  static Result<AddressPolicy> create(const std::vector<std::string>& allowed);

  /// Why `host` must not be contacted at `address`; nothing: it may be.
  std::optional<std::string> refusal(const IpAddress& address, std::string_view host) const;
  /// The same for a URL whose host is an address; names are decided when they are resolved.
  std::optional<std::string> refusal(const HttpUrl& url) const;

 private:
  bool allows(const IpAddress& address) const;
  bool names(const IpAddress& address) const;
  bool allows_host(std::string_view host) const;

  std::vector<IpNetwork> networks_;
  std::vector<std::string> hosts_;
};

/// What an address is for, when it is not public: `loopback`, `private use` …; empty: public.
/// An address that embeds another (mapped, 6to4, NAT64 …) is what that one is.
std::string_view special_purpose(const IpAddress& address);

}  // namespace toolway::tools::http
