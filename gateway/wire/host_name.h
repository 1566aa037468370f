#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace toolway::gateway::wire {

/// What a Host header names.
struct HostName {
  std::string name;  ///< in lower case, without a dot at its end; an IPv6 address in brackets
  std::optional<std::uint16_t> port;
  friend bool operator==(const HostName&, const HostName&) = default;
};

/// `NAME`, `NAME:PORT`, `[IPV6]:PORT`; nothing for anything else. Pure.
std::optional<HostName> parse_host(std::string_view text);

/// Whether it is a name of the machine itself: localhost, 127.0.0.1 or [::1].
bool names_loopback(const HostName& host);

}  // namespace toolway::gateway::wire
