#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace toolway::cli {

/// A call id as 128 bits, for tables of millions of calls.
struct CallKey {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const CallKey&) const = default;
};

struct CallKeyHash {
  std::size_t operator()(const CallKey& key) const {
    return key.low ^ (key.high * 0x9e3779b97f4a7c15ULL);
  }
};

/// Of a UUID in lower case; nothing when it is not one.
inline std::optional<CallKey> parse_call_key(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  CallKey key;
  unsigned digits = 0;
  for (const char byte : text) {
    unsigned value = 0;
    if (byte >= '0' && byte <= '9')
      value = static_cast<unsigned>(byte - '0');
    else if (byte >= 'a' && byte <= 'f')
      value = static_cast<unsigned>(byte - 'a') + 10;
    else if (byte == '-')
      continue;
    else
      return std::nullopt;
    auto& half = digits++ < 16 ? key.high : key.low;
    half = half << 4 | value;
  }
  return digits == 32 ? std::optional(key) : std::nullopt;
}

}  // namespace toolway::cli
