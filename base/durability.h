#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace toolway {

/// What an accepted call survives. The operator of the NATS servers decides it; we only start
/// servers that keep it, and show it.
enum class Durability : std::uint8_t {
  kProcess,  ///< kill -9 of any process; what the kernel has not written yet is lost with the power
  kPower,    ///< loss of power too: a server syncs each message before it acknowledges it
};

/// Its word in options and answers.
constexpr std::string_view name_of(Durability durability) {
  return durability == Durability::kPower ? "power" : "process";
}

/// Nothing: no such word.
constexpr std::optional<Durability> parse_durability(std::string_view word) {
  for (const auto durability : std::array{Durability::kProcess, Durability::kPower})
    if (word == name_of(durability)) return durability;
  return std::nullopt;
}

}  // namespace toolway
