#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sockaddr;

namespace toolway::tools::http {

/// An IPv4 or IPv6 address, without port and zone.
struct IpAddress {
  enum class Family { kV4, kV6 };
  Family family = Family::kV4;
  std::array<std::uint8_t, 16> bytes{};  ///< network order; of IPv4 the first four

  /// Dotted decimal with four parts, or RFC 4291 §2.2; nothing else, no zone, no brackets.
  static std::optional<IpAddress> parse(std::string_view text);
  static std::optional<IpAddress> of(const sockaddr* address);
  static IpAddress v4(const std::uint8_t* four);
  std::string text() const;
  bool operator==(const IpAddress&) const = default;
};

/// A block of addresses: `10.0.0.0/8`, or one address.
struct IpNetwork {
  IpAddress base;
  unsigned bits = 0;

  /// Nothing when it is none, or when it has bits set beyond its length.
  static std::optional<IpNetwork> parse(std::string_view text);
  bool contains(const IpAddress& address) const;
  /// It is one address, named as such.
  bool single() const { return bits == (base.family == IpAddress::Family::kV4 ? 32U : 128U); }
};

}  // namespace toolway::tools::http
