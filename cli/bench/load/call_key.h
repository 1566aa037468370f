#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace toolway::cli::bench::load {

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

/// The value of each hexadecimal digit in lower case; 16: of what is none.
inline constexpr auto kHexValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(16);
  for (std::uint8_t i = 0; i < 16; ++i)
    values[static_cast<unsigned char>("0123456789abcdef"[i])] = i;
  return values;
}();

/// Of a UUID in lower case; nothing when it is not one.
inline std::optional<CallKey> parse_call_key(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  CallKey key;
  unsigned digits = 0;
  for (const char byte : text) {
    const auto value = kHexValues[static_cast<unsigned char>(byte)];
    if (value == 16) {
      if (byte != '-') return std::nullopt;
      continue;
    }
    auto& half = digits++ < 16 ? key.high : key.low;
    half = half << 4 | value;
  }
  return digits == 32 ? std::optional(key) : std::nullopt;
}

}  // namespace toolway::cli::bench::load
