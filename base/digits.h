#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

/// Texts of decimal digits alone: no sign, no blanks. Pure.
namespace toolway {

/// One or more digits.
constexpr bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The number that digits are; the largest one for more than that. Nothing: not digits.
inline std::optional<std::uint64_t> parse_saturated(std::string_view text) {
  if (!is_digits(text)) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? number : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace toolway
