#pragma once

#include <boost/asio/ip/address.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace toolway::gateway::edge {

/// The addresses that are trusted to name a user: `--trust-user-header`. A value; none by default.
class TrustedPeers {
 public:
  TrustedPeers() = default;
  /// Each entry is `loopback`, `none`, an address, or a network such as 10.0.0.0/8 or fd00::/8.
  /// Errors: kInvalidRequest, naming the entry.
  static Result<TrustedPeers> parse(const std::vector<std::string>& entries);
  static TrustedPeers loopback();

  /// An IPv4 address that is mapped into IPv6 counts as that IPv4 address.
  bool holds(const boost::asio::ip::address& address) const;
  bool empty() const { return !loopback_ && networks4_.empty() && networks6_.empty(); }

 private:
  Result<void> add(const std::string& entry);

  template <typename Address>
  using Networks =
      std::vector<std::pair<typename Address::bytes_type, unsigned>>;  ///< with the length of the
                                                                       ///< prefix
  bool loopback_ = false;
  Networks<boost::asio::ip::address_v4> networks4_;
  Networks<boost::asio::ip::address_v6> networks6_;
};

/// The address itself, out of its IPv6 form when it is mapped.
boost::asio::ip::address plain_address(const boost::asio::ip::address& address);

}  // namespace toolway::gateway::edge
