#include "gateway/edge/trusted_peers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"

namespace toolway::gateway::edge {
namespace {

namespace ip = boost::asio::ip;

/// Whether the first `prefix` bits are the same.
template <typename Bytes>
bool same_network(const Bytes& a, const Bytes& b, unsigned prefix) {
  const unsigned whole = prefix / 8;
  if (!std::equal(a.begin(), a.begin() + whole, b.begin())) return false;
  if (prefix % 8 == 0) return true;
  const auto mask = static_cast<unsigned char>(0xff << (8 - prefix % 8));
  return (a[whole] & mask) == (b[whole] & mask);
}

}  // namespace

ip::address plain_address(const ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return ip::make_address_v4(ip::v4_mapped, address.to_v6());
  return address;
}

TrustedPeers TrustedPeers::loopback() {
  TrustedPeers peers;
  peers.loopback_ = true;
  return peers;
}

Result<TrustedPeers> TrustedPeers::parse(const std::vector<std::string>& entries) {
  TrustedPeers peers;
  for (const auto& entry : entries) {
    if (entry == "none") {
      if (entries.size() > 1)
        return fail(ErrorCode::kInvalidRequest,
                    "--trust-user-header none excludes all other entries");
    } else if (entry == "loopback") {
      peers.loopback_ = true;
    } else
      RETURN_IF_ERROR(peers.add(entry));
  }
  return peers;
}

Result<void> TrustedPeers::add(const std::string& entry) {
  const auto wrong = [&entry](const char* why) {
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("--trust-user-header \"{}\" is not loopback, none, an address or a "
                            "network such as 10.0.0.0/8: {}",
                            entry, why));
  };
  const auto slash = entry.find('/');
  boost::system::error_code error;
  const auto given = ip::make_address(entry.substr(0, slash), error);
  if (error) return wrong("its address cannot be read");
  if (given.is_v6() && given.to_v6().is_v4_mapped()) return wrong("write it in IPv4 form");
  if (given.is_v6() && given.to_v6().scope_id() != 0) return wrong("its address has a scope");
  const unsigned most = given.is_v4() ? 32 : 128;
  unsigned prefix = most;
  if (slash != std::string::npos) {
    if (!parse_number(std::string_view(entry).substr(slash + 1), prefix) || prefix > most)
      return wrong("the length of its prefix is out of range");
  }
  const auto has_host_bits = [prefix](auto bytes) {
    for (unsigned bit = prefix; bit < bytes.size() * 8; ++bit) {
      if ((bytes[bit / 8] >> (7 - bit % 8) & 1) != 0) return true;
    }
    return false;
  };
  if (given.is_v4()) {
    if (has_host_bits(given.to_v4().to_bytes())) return wrong("it has bits set beyond its prefix");
    networks4_.push_back({given.to_v4().to_bytes(), prefix});
  } else {
    if (has_host_bits(given.to_v6().to_bytes())) return wrong("it has bits set beyond its prefix");
    networks6_.push_back({given.to_v6().to_bytes(), prefix});
  }
  return {};
}

bool TrustedPeers::holds(const ip::address& address) const {
  const auto plain = plain_address(address);
  if (loopback_ && plain.is_loopback()) return true;
  if (plain.is_v4()) {
    const auto bytes = plain.to_v4().to_bytes();
    return std::any_of(networks4_.begin(), networks4_.end(), [&](const auto& network) {
      return same_network(bytes, network.first, network.second);
    });
  }
  const auto bytes = plain.to_v6().to_bytes();
  return std::any_of(networks6_.begin(), networks6_.end(), [&](const auto& network) {
    return same_network(bytes, network.first, network.second);
  });
}

}  // namespace toolway::gateway::edge
