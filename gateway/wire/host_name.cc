#include "gateway/wire/host_name.h"

#include <algorithm>

#include "base/text.h"

namespace toolway::gateway::wire {
namespace {

constexpr std::size_t kMaxHostLength = 255;

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool is_ipv6_char(char c) {
  return (c >= 'a' && c <= 'f') || (c >= '0' && c <= '9') || c == ':' || c == '.';
}

}  // namespace

std::optional<HostName> parse_host(std::string_view text) {
  if (text.empty() || text.size() > kMaxHostLength) return std::nullopt;
  const std::string lower = lowered(text);
  HostName host;
  std::size_t end = 0;
  if (lower.front() == '[') {
    end = lower.find(']');
    if (end == std::string::npos || end < 3) return std::nullopt;
    if (!std::all_of(lower.begin() + 1, lower.begin() + static_cast<std::ptrdiff_t>(end),
                     is_ipv6_char))
      return std::nullopt;
    host.name = lower.substr(0, ++end);
  } else {
    end = std::min(lower.find(':'), lower.size());
    host.name = lower.substr(0, end);
    if (!std::all_of(host.name.begin(), host.name.end(), is_name_char)) return std::nullopt;
    if (host.name.size() > 1 && host.name.ends_with('.')) host.name.pop_back();
    if (host.name.empty() || host.name == ".") return std::nullopt;
  }
  if (end == lower.size()) return host;
  if (lower[end] != ':') return std::nullopt;
  std::uint16_t port = 0;
  if (!parse_number(std::string_view(lower).substr(end + 1), port)) return std::nullopt;
  host.port = port;
  return host;
}

bool names_loopback(const HostName& host) {
  return host.name == "localhost" || host.name == "127.0.0.1" || host.name == "[::1]";
}

}  // namespace toolway::gateway::wire
