#include "tools/http/ip_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace toolway::tools::http {

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string terminated(text);
  IpAddress address;
  if (terminated.find('\0') != std::string::npos) return std::nullopt;
  if (inet_pton(AF_INET, terminated.c_str(), address.bytes.data()) == 1) return address;
  address.family = Family::kV6;
  if (inet_pton(AF_INET6, terminated.c_str(), address.bytes.data()) == 1) return address;
  return std::nullopt;
}

std::optional<IpAddress> IpAddress::of(const sockaddr* address) {
  IpAddress found;
  if (address->sa_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, address, sizeof four);
    std::memcpy(found.bytes.data(), &four.sin_addr, 4);
    return found;
  }
  if (address->sa_family != AF_INET6) return std::nullopt;
  sockaddr_in6 six{};
  std::memcpy(&six, address, sizeof six);
  found.family = Family::kV6;
  std::memcpy(found.bytes.data(), &six.sin6_addr, 16);
  return found;
}

IpAddress IpAddress::v4(const std::uint8_t* four) {
  IpAddress address;
  std::copy_n(four, 4, address.bytes.begin());
  return address;
}

std::string IpAddress::text() const {
  char written[INET6_ADDRSTRLEN] = "";
  inet_ntop(family == Family::kV4 ? AF_INET : AF_INET6, bytes.data(), written, sizeof written);
  return written;
}

std::optional<IpNetwork> IpNetwork::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto address = IpAddress::parse(text.substr(0, slash));
  if (!address) return std::nullopt;
  const unsigned most = address->family == IpAddress::Family::kV4 ? 32 : 128;
  IpNetwork network{*address, most};
  if (slash != std::string_view::npos) {
    if (!parse_number(text.substr(slash + 1), network.bits) || network.bits > most)
      return std::nullopt;
  }
  for (unsigned bit = network.bits; bit < most; ++bit) {
    if ((network.base.bytes[bit / 8] >> (7 - bit % 8) & 1) != 0) return std::nullopt;
  }
  return network;
}

bool IpNetwork::contains(const IpAddress& address) const {
  if (address.family != base.family) return false;
  const unsigned whole = bits / 8;
  if (!std::equal(base.bytes.begin(), base.bytes.begin() + whole, address.bytes.begin()))
    return false;
  const unsigned rest = bits % 8;
  if (rest == 0) return true;
  const auto mask = static_cast<std::uint8_t>(0xff << (8 - rest));
  return ((base.bytes[whole] ^ address.bytes[whole]) & mask) == 0;
}

}  // namespace toolway::tools::http
