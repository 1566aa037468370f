#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace toolway {

/// FNV-1a of 64 bits, as 16 hex digits: a short name for a text, the same in every program and
/// release. Not for secrets, nor for texts that someone else chooses. Pure.
inline std::string fnv_hex(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return fmt::format("{:016x}", hash);
}

}  // namespace toolway
