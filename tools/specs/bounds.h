#pragma once

#include <chrono>
#include <cstddef>

namespace toolway::tools::specs {

// What a file of specs may say (docs/specs.md).

inline constexpr std::size_t kMaxFileBytes = 16 * 1024 * 1024;
/// Of one spec as `to_document` writes it: it travels in one message.
inline constexpr std::size_t kMaxSpecBytes = 512 * 1024;
/// In one schema: jsoncons compares each item of a list that must not repeat with every other.
inline constexpr std::size_t kMaxSchemaValues = 10'000;

inline constexpr std::chrono::milliseconds kMaxLimit = std::chrono::hours(30 * 24);
inline constexpr std::chrono::milliseconds kMaxInlineWait = std::chrono::minutes(10);
inline constexpr std::chrono::milliseconds kMaxRetryDelay = std::chrono::hours(24);
inline constexpr unsigned kMaxAttempts = 100;
inline constexpr double kLargestRetryFactor = 100;
inline constexpr std::size_t kMaxInlineBytes = 512 * 1024;
inline constexpr std::size_t kMaxResultBytes = 256 * 1024 * 1024;

}  // namespace toolway::tools::specs
